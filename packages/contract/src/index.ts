export * from "./agent.ts";
export * from "./chat.ts";
export * from "./conversation.ts";
export * from "./error.ts";
export * from "./model.ts";
export * from "./schema.ts";
export * from "./setup.ts";
