import { APICallError, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import { LRUCache } from "lru-cache";
import { findChangeReason } from "./change-reason.ts";
import { isFiltered } from "./is-filtered.ts";
import { type FilePart, listFiles, rejectsPictures, toFallback } from "./prompt-files.ts";

/** The files that a model has refused and accepted, by model and file. A forgotten one costs one more refused request. */
const refused = new LRUCache<string, true>({ max: 10_000 });
const accepted = new LRUCache<string, true>({ max: 10_000 });

/** The statuses with which providers refuse a file. Some of their messages do not mention it. */
const REJECTIONS = new Set([400, 413, 415, 422]);
const aboutFiles =
  /\bimages?\b|image_url|\bpictures?\b|\bvision\b|\bmulti-?modal|\bpdfs?\b|\bdocuments?\b|\bfiles?\b|\bmime|media[ _-]?type|inline_?data|\bbase64\b|\battachments?\b|input_(?:image|file)/i;
const aboutNumber =
  /\bat most\b|\btoo many\b|\bonly (?:one|\d+)\b|\bmore than\b|\bmaximum (?:number )?of \d*\b.*\bimages?\b/i;

/** The newest files of which every combination is left out, in up to 15 requests. A model receives four pictures. */
const MAX_COMBINED = 4;

/**
 * Finds out which files of a request a provider refuses, by leaving out different ones. What it has refused is left out
 * of all later requests to the model. Other files, and those of other conversations, are not affected.
 * @param key the model of an organization
 */
export function createFileTrials(key: string, prompt: LanguageModelV4Prompt) {
  const idOf = ({ providerOptions }: FilePart) =>
    typeof providerOptions?.foyer?.id === "string" ? `${key}/${providerOptions.foyer.id}` : null;
  const isIn = (cache: LRUCache<string, true>) => (part: FilePart) => cache.has(idOf(part) ?? "");
  const files = listFiles(prompt);
  const known: ReadonlySet<FilePart> = new Set(files.filter(isIn(refused)));
  let leftOut = known;
  let trials: Iterator<ReadonlySet<FilePart>> | null = null;
  /** the newest of several files that are too large or too many together */
  let newestOfMany: FilePart | undefined;

  return {
    /** Whether the provider has refused the file, or the next request shows whether it does. */
    leavesOut: (part: FilePart) => leftOut.has(part),
    apply(original: LanguageModelV4Prompt): LanguageModelV4Prompt {
      if (leftOut.size === 0) return original;
      return original.map((message) => {
        if (message.role !== "user") return message;
        const content = message.content.map((part) =>
          part.type === "file" && leftOut.has(part) ? toRefused(part) : part,
        );
        return { ...message, content };
      });
    },
    /**
     * Leaves out other files than in the request that the provider has refused.
     * @param isSent whether the model receives files of this kind at all
     * @param options.isUnclear also when the message does not mention a file
     * @returns false when the refusal is not about a file, or every file has been left out in vain
     */
    next(error: unknown, isSent: (part: FilePart) => boolean, options: { isUnclear: boolean }): boolean {
      if (files.length === 0 || !APICallError.isInstance(error)) return false;
      const text = readText(error);
      // Most of the bytes of a request that is too large are those of files.
      const isNamed = error.statusCode === 413 || (isRejection(error.statusCode) && aboutFiles.test(text));
      const isClear = isNamed || rejectsPictures(error);
      const isPossible =
        isClear ||
        (options.isUnclear &&
          REJECTIONS.has(error.statusCode ?? 0) &&
          !isFiltered(error) &&
          findChangeReason(error) === null);
      if (!isPossible) return false;
      if (!trials) {
        const sent = files.filter((part) => isSent(part) && !known.has(part));
        const unproven = sent.filter((part) => !isIn(accepted)(part));
        if (sent.length === 0 || (!isClear && unproven.length === 0)) return false;
        const isAboutAll = sent.length > 1 && (error.statusCode === 413 || aboutNumber.test(text));
        if (isAboutAll) newestOfMany = sent.at(-1);
        trials = isAboutAll ? listOldest(sent) : listCombinations(unproven.length > 0 ? unproven : sent, sent);
      }
      const trial = trials.next();
      leftOut = trial.done ? known : new Set([...known, ...trial.value]);
      return !trial.done;
    },
    /** The provider has accepted the last request. @returns the files that it had refused */
    accept(isSent: (part: FilePart) => boolean): FilePart[] {
      for (const part of files) {
        const id = idOf(part);
        if (id === null) continue;
        // Of files that are too large or too many together, only the newest has been sent alone before it is left out.
        if (leftOut.has(part)) {
          if (!newestOfMany || part === newestOfMany) refused.set(id, true);
        } else if (isSent(part)) accepted.set(id, true);
      }
      return [...leftOut].filter((part) => !known.has(part));
    },
  };
}

const readText = ({ message, responseBody }: APICallError) => `${message}\n${responseBody?.slice(0, 2_000) ?? ""}`;

/** An error inside a stream may have no status. */
const isRejection = (status: number | undefined) => status === undefined || REJECTIONS.has(status);

/** What the model reads in place of a file that the provider has refused. */
function toRefused(part: FilePart) {
  if (!part.mediaType.startsWith("image/")) return toFallback(part);
  return { type: "text" as const, text: `[picture: ${part.filename ?? "unnamed"} (it could not be read)]` };
}

/** Leaves out one file more each time, the oldest first, for a provider that accepts only some files in one request. */
function* listOldest(files: readonly FilePart[]): Generator<ReadonlySet<FilePart>> {
  for (let count = 1; count <= files.length; count++) yield new Set(files.slice(0, count));
}

/** Leaves out one file at a time, the newest first, then two, and so on. Last, all that are sent are left out. */
function* listCombinations(suspects: readonly FilePart[], sent: readonly FilePart[]): Generator<ReadonlySet<FilePart>> {
  const newest = suspects.toReversed();
  const masks = Array.from({ length: 2 ** Math.min(newest.length, MAX_COMBINED) - 1 }, (_, index) => index + 1);
  for (const mask of masks.sort((a, b) => countBits(a) - countBits(b))) {
    const trial = newest.filter((_, index) => mask & (1 << index));
    if (trial.length < sent.length) yield new Set(trial);
  }
  yield new Set(sent);
}

const countBits = (mask: number) => mask.toString(2).replaceAll("0", "").length;
