import { fold, stemWords } from "./words.ts";

/**
 * A match in a heading counts less than a match in the line itself, because a heading says less reliably what its lines
 * are about.
 */
const HEADING_WEIGHT = 0.6;
/** The message before the last one only helps to choose among lines that the last message already matches. */
const EARLIER_WEIGHT = 0.5;
/** The share of the question's weight that a line must match, and a lower share that is enough if two words match. */
const ENOUGH = 0.5;
const ENOUGH_FOR_TWO = 0.3;
/** A line with at least this share of the best score counts as equally good. */
const NEARLY = 0.85;
const MAX_QUESTION_WORDS = 64;
const MAX_SENTENCES = 3;
const MAX_LIST = 8;

/** A sentence or list item that can be quoted. `n` is the number of its passage, null in the agent's instructions. */
export type Line = { text: string; heading: string; isListed: boolean; n: number | null };
type UnnumberedLine = Omit<Line, "n">;
type Hit = { line: Line; score: number; matched: Set<string>; isByHeading: boolean };

/**
 * Answers a question with the lines that share its rarest words, in their order, and cites the passages they come from.
 * `earlier` is the previous message, which is used when the question is a short follow-up ("and on Sunday?").
 * @returns null when nothing matches clearly
 */
export function quote(lines: readonly Line[], question: string, earlier = ""): string | null {
  const wanted = [...new Set(stemWords(question))].slice(0, MAX_QUESTION_WORDS);
  const context = wanted.length <= 2 ? new Set(stemWords(earlier).slice(0, MAX_QUESTION_WORDS)) : new Set<string>();
  const stems = lines.map(({ text, heading }) => ({
    own: new Set(stemWords(text)),
    above: new Set(stemWords(heading)),
  }));
  const rarity = (word: string) => {
    const found = stems.filter(({ own, above }) => own.has(word) || above.has(word)).length;
    return Math.log(1 + lines.length / Math.max(1, found));
  };
  const weights = new Map([...wanted, ...context].map((word) => [word, rarity(word)]));
  const weigh = (words: Iterable<string>) => [...words].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  const hits = lines.map((line, index): Hit => {
    const { own = new Set(), above = new Set() } = stems[index] ?? {};
    const said = wanted.filter((word) => own.has(word));
    const matched = new Set([...said, ...wanted.filter((word) => above.has(word))]);
    const before = [...context].filter((word) => own.has(word) || above.has(word));
    const score = weigh(said) + HEADING_WEIGHT * (weigh(matched) - weigh(said)) + EARLIER_WEIGHT * weigh(before);
    const isByHeading =
      line.isListed && matched.size > 0 && wanted.every((word) => above.has(word) || !matched.has(word));
    return { line, score: score / (1 + own.size / 50), matched, isByHeading };
  });
  const best = hits.reduce<Hit | null>((first, hit) => (first && first.score >= hit.score ? first : hit), null);
  if (!best || best.matched.size === 0) return null;
  if (weigh(best.matched) / weigh(wanted) < (best.matched.size > 1 ? ENOUGH_FOR_TWO : ENOUGH)) return null;
  return write(chooseLines(hits, best));
}

/**
 * A list under a heading that contains all matching words is kept together. Otherwise, the best line and equally good
 * ones are chosen.
 */
function chooseLines(hits: readonly Hit[], best: Hit): Line[] {
  const { heading, n } = best.line;
  const list = hits.filter(({ line }) => line.isListed && line.heading === heading && line.n === n);
  if (best.isByHeading) return list.slice(0, MAX_LIST).map(({ line }) => line);
  const equals = hits.filter(({ matched, score }) => matched.size > 0 && score >= best.score * NEARLY);
  return equals.slice(0, MAX_SENTENCES).map(({ line }) => line);
}

/** Joins sentences of the same passage, and puts list items under their heading. Each group ends with its citation. */
function write(lines: readonly Line[]): string {
  const groups = Map.groupBy(lines, ({ heading, isListed, n }) =>
    JSON.stringify([isListed ? heading : "", isListed, n]),
  );
  return [...groups.values()]
    .map((group) => {
      const [first] = group;
      const citation = first?.n == null ? "" : ` [${first.n}]`;
      if (!first?.isListed) return group.map(({ text }) => text).join(" ") + citation;
      const items = group.map(({ text }) => `- ${text}`).join("\n") + citation;
      return first.heading === "" ? items : `${first.heading}:\n${items}`;
    })
    .join("\n\n");
}

/** Parses the passages of a search result, as formatted by documents/describe-passages.ts. */
export function splitPassages(result: string): Line[] {
  const passages = result.matchAll(/<(passage-[0-9a-f]{12}) (\{[^\n]*\})>\n([\s\S]*?)\n<\/\1>/g);
  return [...passages].flatMap(([, , attributes = "{}", text = ""]) => {
    const { n, title, heading = title }: { n: number; title: string; heading?: string } = JSON.parse(attributes);
    const lines = readLines(text).map((line) => ({ ...line, heading: line.heading || heading, n }));
    // An FAQ entry without an answer has its content in the question.
    return lines.length > 0 ? lines : [{ text: heading, heading: "", isListed: false, n }];
  });
}

/**
 * The facts in an agent's instructions. Instructions about the agent's behavior are not for visitors and are left out.
 */
export function splitInstructions(systemPrompt: string): Line[] {
  const facts: Line[] = [];
  for (const line of readLines(systemPrompt)) {
    if (privateHeading.test(fold(line.heading))) continue;
    const text = fold(line.text);
    // "The code is 4711. Do not share it." also hides the sentence before it.
    if (hidesOthers.test(text)) facts.pop();
    else if (!instruction.test(text)) facts.push({ ...line, n: null });
  }
  return facts;
}

const privateHeading =
  /\b(?:rules?|instructions?|guidelines?|behaviou?r|tone|style|persona(?:lity)?|role|task|goals?|constraints?|restrictions?|internal|confidential|secrets?|safety|regeln|anweisungen|verhalten|regles|consignes)\b/;
const hidesOthers =
  /(?:\bnot|\bnever|n't) (?:share|reveal|mention|tell|disclose|repeat|give)\b.{0,40}\b(?:it|this|that|them)\b/;
const instruction =
  /^[\s"'(*_>-]*(?:(?:please|also|then|so|but|and) )*(?:you\b|your\b|always\b|never\b|only\b|do not\b|don't\b|if\b|when(?:ever)?\b[^.?]{0,40}\b(?:asks?|visitors?|users?|customers?)\b|unless\b|(?:be|act|answer|respond|reply|speak|write|talk|keep|stay|use|ask|offer|suggest|mention|tell|say|refer|share|avoid|refuse|ignore|pretend|greet|ensure|make sure|give|quote)\b(?! ?[:-])|du\b|sie sind\b|antworte|verwende|nutze|niemals\b|immer\b|wenn der\b|tu es\b|vous etes\b|reponds|utilise|あなたは|你是|请)|\bsystem prompt\b|\bthe (?:user|assistant)\b|, (?:do not|don't|never|always) |ください|不要/;

const sentenceEnd =
  /(?<=[.!?…]["'”»)]?)(?<!\b(?:\p{L}|[DMS]r|Mrs|Ms|St|No|Nr|ca|bzw|vs|Tel)\.) (?!\p{Ll})|(?<=[。！？])/u;

/** Sentences and list items with the heading above them. */
function readLines(text: string): UnnumberedLine[] {
  let heading = "";
  return text.split(/\r?\n/).flatMap((source): UnnumberedLine[] => {
    const line = source.replace(/\s+/g, " ").trim();
    const [, marked, bold, ended] =
      line.length > 120 ? [] : (/^(?:#{1,6} (.+)|\*\*([^*]+)\*\*:?|([^.!?|]+):)$/.exec(line) ?? []);
    const title = marked ?? bold ?? ended;
    if (title !== undefined) {
      heading = title.replace(/^[-*•] /, "").trim();
      return [];
    }
    const item = /^(?:[-*•–+]|\d{1,3}[.)]) (.*)$/.exec(line)?.[1];
    if (item !== undefined) return [{ text: item, heading, isListed: true }];
    const sentences = line.split(sentenceEnd).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
    return sentences.map((sentence) => ({ text: sentence, heading, isListed: false }));
  });
}

/** The topics of the instructions, taken from their headings. */
export function listTopics(systemPrompt: string): string[] {
  const headings = splitInstructions(systemPrompt).map(({ heading }) => heading);
  return [...new Set(headings.filter((heading) => heading !== "" && !heading.endsWith("?")))].slice(0, 5);
}
