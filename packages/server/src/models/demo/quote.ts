import { fold, stemWords } from "./words.ts";

/** The share of the question's weight that a line must match. */
const ENOUGH = 0.35;
/** A match in the heading says less about a line than one in the line itself. */
const HEADING_WEIGHT = 0.6;
const MAX_QUESTION_WORDS = 64;
const MAX_LIST = 8;

/** A sentence or list item that can be quoted. `n` is the number of its passage, null in the agent's instructions. */
export type Line = { text: string; heading: string; isListed: boolean; n: number | null };

/**
 * Answers a question with the line that shares its rarest words and cites the passage that it comes from. A list is
 * quoted as a whole when the question names its heading.
 * @returns null when nothing matches clearly
 */
export function quote(lines: readonly Line[], question: string): string | null {
  const stems = lines.map(({ text, heading }) => [new Set(stemWords(text)), new Set(stemWords(heading))] as const);
  const wanted = [...new Set(stemWords(question))].slice(0, MAX_QUESTION_WORDS).map((word) => {
    const found = stems.filter(([own, above]) => own.has(word) || above.has(word)).length;
    return { word, weight: Math.log(1 + lines.length / Math.max(1, found)) };
  });
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0);
  let best = { index: -1, score: 0 };
  for (const [index, [own, above]] of stems.entries()) {
    const score = wanted.reduce(
      (sum, { word, weight }) => sum + (own.has(word) ? weight : above.has(word) ? weight * HEADING_WEIGHT : 0),
      0,
    );
    if (score > best.score) best = { index, score };
  }
  const [line, found] = [lines[best.index], stems[best.index]];
  if (!line || !found || best.score < total * ENOUGH) return null;
  const citation = line.n === null ? "" : ` [${line.n}]`;
  if (!line.isListed) return line.text + citation;
  const isByHeading = wanted.every(({ word }) => found[1].has(word) || !found[0].has(word));
  const list = lines.filter(({ isListed, heading, n }) => isListed && heading === line.heading && n === line.n);
  const items = (isByHeading ? list.slice(0, MAX_LIST) : [line]).map(({ text }) => `- ${text}`).join("\n");
  return `${line.heading && `${line.heading}:\n`}${items}${citation}`;
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

/** The facts in an agent's instructions. What they say about the agent's behavior is not for visitors. */
export function splitInstructions(systemPrompt: string): Line[] {
  const facts: Line[] = [];
  for (const line of readLines(systemPrompt)) {
    if (privateHeading.test(fold(line.heading))) continue;
    const text = fold(line.text);
    // "The code is 4711. Do not share it." also hides the sentence before it.
    if (hidesOthers.test(text)) facts.pop();
    else if (!instruction.test(text)) facts.push(line);
  }
  return facts;
}

const privateHeading =
  /\b(?:rules?|instructions?|guidelines?|behaviou?r|tone|style|persona(?:lity)?|role|task|goals?|internal|confidential|secrets?|regeln|anweisungen|regles|consignes)\b/;
const hidesOthers =
  /(?:\bnot|\bnever|n't) (?:share|reveal|mention|tell|disclose|repeat|give)\b.{0,40}\b(?:it|this|that|them)\b/;
const instruction =
  /^[\s"'(*_>-]*(?:(?:please|also|then|but|and) )*(?:you\b|your\b|always\b|never\b|only\b|do not\b|don't\b|if\b|when\b|unless\b|(?:be|act|answer|respond|reply|speak|write|keep|stay|use|ask|offer|suggest|mention|tell|say|refer|share|avoid|refuse|ignore|pretend|greet|ensure|give|quote)\b(?! ?[:-])|du\b|antworte|verwende|niemals\b|immer\b|vous etes\b|reponds|utilise|あなたは|你是|请)|\bsystem prompt\b|, (?:do not|don't|never|always) |ください|不要/;

const sentenceEnd = /(?<=[.!?…]["'”»)]?)(?<!\b(?:\p{L}|[DMS]r|Mrs|Ms|St|No|Nr)\.) (?!\p{Ll})|(?<=[。！？])/u;

/** Sentences and list items with the heading above them. */
function readLines(text: string): Line[] {
  let heading = "";
  return text.split(/\r?\n/).flatMap((source): Line[] => {
    const line = source.replace(/\s+/g, " ").trim();
    const title = line.length > 120 ? null : /^(?:#{1,6} (.+)|\*\*([^*]+)\*\*:?|([^.!?|]+):)$/.exec(line);
    if (title) {
      heading = (title[1] ?? title[2] ?? title[3] ?? "").replace(/^[-*•] /, "").trim();
      return [];
    }
    const item = /^(?:[-*•–+]|\d{1,3}[.)]) (.*)$/.exec(line)?.[1];
    const sentences = item === undefined ? line.split(sentenceEnd) : [item];
    const written = sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
    return written.map((sentence) => ({ text: sentence, heading, isListed: item !== undefined, n: null }));
  });
}
