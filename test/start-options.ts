import packageJson from "../package.json" with { type: "json" };

/** The options that `npm start` passes to Node. */
export const startOptions: string[] = packageJson.scripts.start.split(" ").filter((word) => word.startsWith("--"));
