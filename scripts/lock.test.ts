import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { satisfies } from "semver";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const places = Object.entries<{ engines?: object }>(readJson("package-lock.json").packages).filter(([place]) =>
  place.includes("node_modules/"),
);

it("the lock file requires no version of Node.js, so that an installation prints no warnings; `npm run lock` removes them", () => {
  expect(places.flatMap(([place, { engines }]) => (engines ? [place] : []))).toEqual([]);
});

it("every installed package runs on the Node.js that Foyer brings", () => {
  const version: string = readJson("package.json").dependencies.node;
  const installed = places.flatMap(([place]) => {
    const manifest = `${place}/package.json`;
    return existsSync(join(root, manifest)) ? [{ place, range: readJson(manifest).engines?.node ?? "*" }] : [];
  });
  expect(installed.length).toBeGreaterThan(300);
  expect(installed.filter(({ range }) => !satisfies(version, range))).toEqual([]);
});
