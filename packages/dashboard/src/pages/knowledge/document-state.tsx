import type { Document } from "@foyer/contract";
import { Status } from "../../components/status.tsx";
import { describeState, isUnderWay } from "./document-labels.ts";

export function DocumentState({ document }: { document: Document }) {
  const tone = isUnderWay(document) ? "live" : document.state === "failed" ? "wrong" : "fine";
  return <Status tone={tone}>{describeState(document)}</Status>;
}
