import { expect, it } from "vitest";
import { type Piece, parsePieces, toColumns } from "./message-pieces.ts";

const said = "We repair bikes on Tuesdays.";
const text: Piece = { type: "text", text: said };
const passages: Piece = { type: "passages", passages: [], total: 2 };
const tool: Piece = { type: "tool", id: "call_1", name: "find", toolId: null, executionType: null, input: {} };

it.each<{ what: string; pieces: Piece[] }>([
  { what: "documents in the prompt", pieces: [text, passages] },
  { what: "a tool call before the text", pieces: [tool, text] },
])("a reply with $what stores its text once and reads the same pieces again", ({ pieces }) => {
  const columns = toColumns(pieces);
  expect(columns.content).toBe(said);
  expect(columns.pieces).not.toContain(said);
  expect(parsePieces(columns)).toEqual(pieces);
});

it("a reply with several texts keeps the position of each", () => {
  const pieces: Piece[] = [text, tool, { type: "text", text: "And on Fridays." }, passages];
  expect(parsePieces(toColumns(pieces))).toEqual(pieces);
});

it("replies of earlier versions, which stored the text of each piece, are read unchanged", () => {
  expect(parsePieces({ content: said, pieces: JSON.stringify([text, passages]) })).toEqual([text, passages]);
});
