import { expect, it } from "vitest";
import { fileContent } from "../document-columns.ts";

it.each([
  ["C:\\", "Untitled"],
  ["C:\\Users\\ada\\Prices.pdf", "Prices.pdf"],
  ["../../etc/passwd", "passwd"],
  ["/", "Untitled"],
  ["a\u0000b.txt", "a b.txt"],
  ["\u0000", "Untitled"],
  ["line\r\nbreak.txt", "line break.txt"],
  ["invoice\u202efdp.exe", "invoicefdp.exe"],
  ["\u200eleft\u200fright\u061carabic.pdf", "leftrightarabic.pdf"],
  ["\u200e\u2066\u2069", "Untitled"],
  ["half\ud83d.txt", "half\ufffd.txt"],
  ["می\u200cخواهم.pdf", "می\u200cخواهم.pdf"],
])("cleanTitle turns the file name %j into the title %j", (name, title) => {
  expect(fileContent(name, { sha256: "", declared: { charset: null, format: null } }).title).toBe(title);
});
