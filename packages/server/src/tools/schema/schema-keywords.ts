/** Keywords whose keys are names chosen by the author, so a property may be called `$ref`. */
export const nameKeywords: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependencies",
  "dependentSchemas",
  "dependentRequired",
]);
/** Keywords whose value is data and contains no keywords. */
export const dataKeywords: ReadonlySet<string> = new Set(["default", "const", "enum", "examples", "example"]);
