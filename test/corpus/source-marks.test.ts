import { expect, it } from "vitest";
import { findFaults, noMarks, readMarks } from "./source-marks.ts";

it.each([
  ["notes", "65,5333", "It has 65,533 people.", "It has 65,5333 people."],
  ["notes", "people3", "It has people [3].", "It has people3."],
  ["strikes", "600 €", "~~600 €~~ 580 €", "600 € 580 €"],
  ["equations", "E=mc2", "Energy is E=mc^2.", "Energy is E=mc."],
  ["equations", "a+bc", "(a+b)/c", "c"],
  ["charts", "Rentals in May", "Rentals\nin May", "City: 4"],
  ["ticks", "✓", "Plan: Pro | API: ✓", "Plan: Pro"],
] as const)("judges %s: %s", (kind, mark, right, wrong) => {
  const marks = { ...noMarks(), [kind]: [mark] };
  const found = [right, wrong].map((text) => findFaults(text, marks)[kind]);
  expect(found).toEqual([[], [mark]]);
});

const run = (text: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;

it.each([
  ["a strike of Word", run("600", "<w:dstrike/>") + run("580"), { strikes: ["600"] }],
  ["a strike that is off", run("600", '<w:strike w:val="0"/>'), {}],
  ["a strike of PowerPoint", '<a:r><a:rPr strike="sngStrike"/><a:t>600</a:t></a:r>', { strikes: ["600"] }],
  [
    "an equation of Office",
    "<m:oMath><m:r><m:t>E=m</m:t></m:r><m:e><m:t>c</m:t></m:e></m:oMath>",
    { equations: ["E=mc"] },
  ],
  [
    "an equation in MathML",
    "<math><mi>E</mi><mo>=</mo><mn>1</mn><annotation>source</annotation></math>",
    { equations: ["E=1"] },
  ],
  [
    "a chart",
    "<c:chartSpace><a:t>Rentals</a:t><c:strCache><c:v>May</c:v></c:strCache><c:numCache><c:v>4</c:v></c:numCache></c:chartSpace>",
    { charts: ["Rentals", "May"] },
  ],
])("reads %s in the source of a file", (_, xml, marks) => {
  expect(readMarks(["no XML <", `<root>${xml}</root>`])).toEqual({ ...noMarks(), ...marks });
});
