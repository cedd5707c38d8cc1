import type { ReplayRun } from "@foyer/contract";
import type { ReplayOutcome } from "@foyer/contract/rules/evaluations";
import { listPossibleLanguages } from "../../documents/search/detect-language.ts";
import { countWords, toProse } from "../checks.ts";
import { isRefusal } from "../refusal.ts";
import type { SpokenReply } from "../spoken-reply.ts";
import { listFacts, listSentences, removeSentences } from "./facts.ts";
import { isSameInput } from "./recorded-tools.ts";

/** A reply is too long, or too short, when it differs from both others by this factor and by this many words. */
const LENGTH_FACTOR = 1.75;
const SHORT_FACTOR = 1 / 3;
const LENGTH_WORDS = 25;

type FailedCheck = ReplayRun["failedChecks"][number];

/** What a reply of the candidate is compared with. */
type Compared = {
  recorded: SpokenReply;
  baseline: SpokenReply;
  candidate: SpokenReply;
  /** everything that the agent could know: the conversation, results of tools, instructions and documents */
  knowledge: string;
  /** see `listFormulas` */
  formulas: ReadonlySet<string>;
};

/**
 * What the candidate's reply does that neither the recorded reply nor the baseline's does. Two replies of the same agent
 * differ in their words, so only what both have in common is expected of a third one.
 */
export function findRegressions({ recorded, baseline, candidate, knowledge, formulas }: Compared): FailedCheck[] {
  const found: Array<FailedCheck | null> = [
    findLanguage(recorded.text, baseline.text, candidate.text),
    findLength(recorded.text, baseline.text, candidate.text),
    findInvented([recorded.text, baseline.text, knowledge], candidate.text),
    findLost(recorded.text, baseline.text, candidate.text),
    findRefusal(recorded.text, baseline.text, candidate.text),
    findFormula([recorded.text, baseline.text], candidate.text, formulas),
    recorded.sources.length > 0 && baseline.sources.length > 0 && candidate.sources.length === 0
      ? { check: "cites", got: "cites no document" }
      : null,
  ];
  return found.filter((failed) => failed !== null);
}

/** A sentence that all three say, such as a notice in another language, says nothing about the language of the rest. */
function findLanguage(recorded: string, baseline: string, candidate: string): FailedCheck | null {
  const texts = [recorded, baseline, candidate].map(toProse);
  const [first = new Set<string>(), ...others] = texts.map(listSentences);
  const shared = others.reduce((common, sentences) => common.intersection(sentences), first);
  const rests = texts.map((text) => listPossibleLanguages(removeSentences(text, shared)));
  const [one, other, found] = rests.includes(null) ? texts.map(listPossibleLanguages) : rests;
  if (!one || !other || !found) return null;
  const common = one.filter((language) => other.includes(language));
  if (common.length === 0 || common.some((language) => found.includes(language))) return null;
  return { check: "language", got: `is not in ${common.join(" or ")}` };
}

function findLength(recorded: string, baseline: string, candidate: string): FailedCheck | null {
  const [one, other, words] = [countWords(recorded), countWords(baseline), countWords(candidate)];
  const [longest, shortest] = [Math.max(one, other), Math.min(one, other)];
  if (words > longest * LENGTH_FACTOR && words >= longest + LENGTH_WORDS) {
    return { check: "longer", got: `${words} words instead of ${longest}` };
  }
  if (words < shortest * SHORT_FACTOR && words <= shortest - LENGTH_WORDS) {
    return { check: "shorter", got: `${words} words instead of ${shortest}` };
  }
  return words === 0 && shortest > 0 ? { check: "shorter", got: "no text" } : null;
}

function findInvented(known: readonly string[], candidate: string): FailedCheck | null {
  const facts = new Set(known.flatMap((text) => [...listFacts(text)]));
  const invented = [...listFacts(candidate)].filter((fact) => !facts.has(fact));
  return invented.length === 0 ? null : { check: "invented_fact", got: invented.slice(0, 5).join(", ") };
}

/** Models leave out details, so a reply has lost its facts only when it has none of those that both others have. */
function findLost(recorded: string, baseline: string, candidate: string): FailedCheck | null {
  const common = [...listFacts(recorded).intersection(listFacts(baseline))];
  const facts = listFacts(candidate);
  if (common.length === 0 || common.some((fact) => facts.has(fact))) return null;
  return { check: "lost_fact", got: `lacks ${common.slice(0, 5).join(", ")}` };
}

function findRefusal(recorded: string, baseline: string, candidate: string): FailedCheck | null {
  const [one, other, refuses] = [isRefusal(recorded), isRefusal(baseline), isRefusal(candidate)];
  if (one !== other || one === refuses) return null;
  return { check: "refuses", got: refuses ? "declines" : "no longer declines" };
}

function findFormula(others: readonly string[], candidate: string, formulas: ReadonlySet<string>): FailedCheck | null {
  const said = listSentences(candidate);
  const lost = [...formulas].find((one) => !said.has(one) && others.every((text) => listSentences(text).has(one)));
  return lost === undefined ? null : { check: "lost_sentence", got: `no longer says: ${lost}` };
}

/** What both versions did in a turn. `failedChecks` of the candidate are those that the baseline passes. */
export function toOutcome(baseline: ReplayRun, candidate: ReplayRun): ReplayOutcome {
  if (candidate.divergence !== null) {
    // What both versions do differently than the recorded one is no difference between them.
    return isSameDivergence(baseline.divergence, candidate.divergence) ? "equal" : "diverged";
  }
  const passed = new Set(baseline.failedChecks.map(({ check }) => check));
  if (candidate.failedChecks.some(({ check }) => !passed.has(check))) return "failed_checks";
  if (baseline.divergence !== null) return "equal";
  const isSameText = normalize(baseline.text) === normalize(candidate.text);
  return isSameText && isSameInput(baseline.calls, candidate.calls) ? "identical" : "equal";
}

function isSameDivergence(a: ReplayRun["divergence"], b: NonNullable<ReplayRun["divergence"]>): boolean {
  return a !== null && a.kind === b.kind && a.name === b.name && isSameInput(a.arguments, b.arguments);
}

const normalize = (text: string) => text.replace(/\s+/g, " ").trim();
