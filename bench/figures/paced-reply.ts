import { compareReplies } from "../reply-cpu.ts";

/** Tokens arrive at the pace of a real model, each in a separate chunk, which best shows what a token costs. */
export const measurePacedReply = () =>
  compareReplies({
    figure: "The same, a token every 20 ms, 50 concurrent",
    script: { tokens: 200, everyMs: 20, isStamped: false },
    load: { streams: 50, rampMs: 1_000, replies: 1 },
    limit: 2.2,
  });
