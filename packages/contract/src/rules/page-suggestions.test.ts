import { expect, it } from "vitest";
import { chooseSuggestions } from "./page-suggestions.ts";

const widget = {
  suggestions: ["When are you open?"],
  pageSuggestions: [
    { page: "/bikes/tern", suggestions: ["Is the Tern in stock?"] },
    { page: "/bikes/*", suggestions: ["Which bike fits me?"] },
    { page: "/checkout/**", suggestions: [] },
  ],
};

it.each([
  ["/bikes/tern", ["Is the Tern in stock?"]],
  ["/bikes/city-one", ["Which bike fits me?"]],
  ["/checkout/payment", []],
  ["/", ["When are you open?"]],
])("suggestionsFor returns the first matching page list, and otherwise the general list: %s", (path, expected) =>
  expect(chooseSuggestions(widget, path)).toEqual(expected),
);

it.each([{}, { suggestions: null, pageSuggestions: null }])(
  "suggestionsFor returns nothing without lists: %j",
  (settings) => expect(chooseSuggestions(settings, "/")).toEqual([]),
);
