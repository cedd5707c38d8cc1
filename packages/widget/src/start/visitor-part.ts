export { createVisitorSession } from "../loader/visitor-session.ts";
export { createFiredTriggers } from "../triggers/fired-triggers.ts";
