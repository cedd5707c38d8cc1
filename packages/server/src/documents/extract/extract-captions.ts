import type { FileContent } from "./extracted.ts";

const timing = /^(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}\s+-->/;
/** Paragraphs of a transcript end with the first sentence after this number of characters. */
const PARAGRAPH = 500;

/** Reads captions in WebVTT or SubRip as a transcript, without times. */
export function extractCaptions(text: string): FileContent {
  const paragraphs: string[] = [];
  let paragraph = "";
  let speaker = "";
  let previous = "";
  const finish = () => {
    if (paragraph !== "") paragraphs.push(speaker === "" ? paragraph : `${speaker}: ${paragraph}`);
    paragraph = "";
  };
  for (const block of text.replace(/\r\n?/g, "\n").split(/\n{2,}/)) {
    const lines = block.split("\n");
    const start = lines.findIndex((line) => timing.test(line.trim()));
    if (start === -1) continue;
    for (const line of lines.slice(start + 1)) {
      const [, name = ""] = /<v(?:\.[^\s>]*)?\s+([^>]{1,200})>/.exec(line) ?? [];
      const spoken = readLine(line);
      // Rolling captions show each line twice.
      if (spoken === "" || spoken === previous) continue;
      const isEnded = paragraph.length > PARAGRAPH && /[.!?…。]$/.test(paragraph);
      if (isEnded || (name !== "" && name.trim() !== speaker)) finish();
      if (name !== "") speaker = name.trim();
      paragraph = paragraph === "" ? spoken : `${paragraph} ${spoken}`;
      previous = spoken;
    }
  }
  finish();
  return { title: null, blocks: paragraphs.map((content) => ({ text: content, headings: [], page: null })) };
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", nbsp: " ", lrm: "", rlm: "" };

const readLine = (line: string) =>
  line
    .replace(/<[^<>]{0,300}>|\{\\[^{}]{0,100}\}/g, "")
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? "")
    .trim();
