import type { Document } from "@foyer/contract";
import { Status } from "../../components/status.tsx";
import { isUnderWay, stateInWords } from "./document-labels.ts";

export function DocumentState({ document }: { document: Document }) {
  const tone = isUnderWay(document) ? "live" : document.state === "failed" ? "wrong" : "fine";
  return <Status tone={tone}>{stateInWords(document)}</Status>;
}
