import type { DocumentChanges, DocumentDetail } from "@foyer/contract";
import { splitLines } from "./document-labels.ts";

/** The editable fields of a document. Fields of other kinds stay empty. */
export type DocumentDraft = {
  title: string;
  text: string;
  question: string;
  /** one per line */
  otherWordings: string;
  answer: string;
  url: string;
  isEnabled: boolean;
  citation: DocumentDetail["citation"];
};

/** @param text the original of a text, "" for other kinds */
export function toDraft({ title, faq, url, isEnabled, citation }: DocumentDetail, text: string): DocumentDraft {
  return {
    title,
    text,
    question: faq?.question ?? "",
    otherWordings: faq?.otherWordings.join("\n") ?? "",
    answer: faq?.answer ?? "",
    url: url ?? "",
    isEnabled,
    citation,
  };
}

export function toChanges({ otherWordings, ...changed }: Partial<DocumentDraft>): DocumentChanges {
  return { ...changed, ...(otherWordings === undefined ? {} : { otherWordings: splitLines(otherWordings) }) };
}
