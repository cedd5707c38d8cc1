export { createFiredTriggers } from "../triggers/fired-triggers.ts";
export { createVisitorSession } from "./visitor-session.ts";
