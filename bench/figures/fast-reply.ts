import { compareReplies } from "../reply-cpu.ts";

/** Tokens are sent as fast as the provider writes them, which best shows what a reply costs besides its tokens. */
export const measureFastReply = () =>
  compareReplies({
    figure: "CPU of a stored 200-token reply, 16 concurrent",
    script: { tokens: 200, everyMs: 0, isStamped: false },
    load: { streams: 16, rampMs: 0, replies: 100 },
    limit: 2.5,
  });
