import { readdirSync, readFileSync } from "node:fs";

/**
 * One way in which a provider or gateway sends a reply, and what a person who reads the stream would take from it. Each
 * line of `shapes/<provider>.jsonl` is one shape.
 */
export type Shape = {
  provider: string;
  name: string;
  /** the API whose format it is; chat completions unless it says otherwise */
  format?: "anthropic" | "google" | "mistral" | "openai";
  /** the model's name, where it matters */
  model?: string;
  /** the tools that were offered */
  tools?: string[];
  /** objects are the data of an event; texts are sent as they are */
  body: unknown[];
  /** true if the body is JSON instead of events */
  json?: boolean;
  text: string;
  calls?: Array<[name: string, input: object]>;
  /** a part of the error in which the reply ends after the text */
  error?: string;
  finish?: string;
  /** what the provider expects back with the result of the first call */
  returns?: object;
  /** true if white space around the text does not matter */
  trim?: boolean;
};

export function readShapes(): Shape[] {
  const folder = new URL("shapes/", import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(new URL(file, folder), "utf8").split("\n").filter(Boolean);
      return lines.map((line) => ({ provider: file.replace(".jsonl", ""), ...JSON.parse(line) }));
    });
}

/** The bytes of the response's body. */
export function toBytes({ body, json }: Shape): Buffer {
  const write = (item: unknown) => {
    if (typeof item === "string") return item;
    return json ? JSON.stringify(item) : `data: ${JSON.stringify(item)}\n\n`;
  };
  return Buffer.from(body.map(write).join(""));
}
