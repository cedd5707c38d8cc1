import { SaxesParser, type SaxesTagPlain } from "saxes";
import { ExtractionError } from "./extraction-error.ts";
import { withLinearEquations } from "./office-equations.ts";
import { findPart, readXml } from "./read-zip.ts";

/** The name of an element without its prefix. */
export const localName = (name: string) => name.slice(name.indexOf(":") + 1);

type Handlers = {
  open?: (tag: SaxesTagPlain) => void;
  /** `name` is the element that directly contains the text */
  text?: (text: string, name: string) => void;
  close?: (name: string) => void;
};

/** The maximum number of characters of XML that are read from one file. */
const MAX_XML = 64 * 1024 * 1024;

/** Reads a part. A part that does not exist is empty. */
export type Walk = (part: string, handlers: Handlers) => void;

/** Creates a function that reads parts, up to `MAX_XML` characters in total. */
export function createWalker(parts: ReadonlyMap<string, Uint8Array>): Walk {
  let remaining = MAX_XML;
  return (part, handlers) => {
    const xml = readXml(parts, findPart(parts, part) ?? part);
    if (xml === null) return;
    remaining -= xml.length;
    if (remaining < 0) {
      const megabytes = MAX_XML / 1024 / 1024;
      throw new ExtractionError("TOO_LARGE", `The parts unpack to more than ${megabytes} MB. Split the file.`);
    }
    walkXml(withLinearEquations(xml), handlers);
  };
}

function walkXml(xml: string, { open, text, close }: Handlers): void {
  const parser = new SaxesParser();
  const path: string[] = [];
  parser.on("opentag", (tag) => {
    path.push(localName(tag.name));
    open?.(tag);
  });
  parser.on("text", (value) => text?.(value, path.at(-1) ?? ""));
  parser.on("closetag", ({ name }) => {
    path.pop();
    close?.(name);
  });
  parser.on("error", () => {
    throw new ExtractionError(
      "DAMAGED",
      "A part of the file is incomplete or damaged. Save the file again and upload the new copy.",
    );
  });
  for (let start = 0; start < xml.length; start += 65_536) parser.write(xml.slice(start, start + 65_536));
  parser.close();
}

/** The targets of a part's relationships, as names of parts, by id. */
export function readRelationships(walk: Walk, part: string): Map<string, { type: string; target: string }> {
  const targets = new Map<string, { type: string; target: string }>();
  walk(part.replace(/([^/]+)$/, "_rels/$1.rels"), {
    open({ attributes: { Id, Type = "", Target } }) {
      if (Id && Target) targets.set(Id, { type: Type.replace(/^.*\//, ""), target: resolveName(part, Target) });
    },
  });
  return targets;
}

/** The name of a part that another part refers to. */
export function resolveName(from: string, target: string): string {
  const { pathname } = new URL(target, `file:///${from}`);
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return pathname.slice(1);
  }
}
