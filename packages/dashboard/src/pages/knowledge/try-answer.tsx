import { useEffect } from "react";
import { PlaygroundTurnView } from "../agents/playground/playground-turn.tsx";
import { usePlaygroundChat } from "../agents/playground/use-playground-chat.ts";

/**
 * The agent's reply to a question, in a new conversation that counts as a test. Give the component another `key` for
 * each question.
 */
export function TryAnswer({ agentId, question }: { agentId: string; question: string }) {
  const chat = usePlaygroundChat(agentId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once, because each question has a component of its own
  useEffect(() => void chat.say(question), []);
  const { agent } = chat;
  if (!agent) return null;
  return chat.turns.map((turn) => (
    <PlaygroundTurnView
      key={turn.key}
      turn={turn}
      agentName={agent.name}
      chat={chat}
      onAgain={() => void chat.say(question)}
    />
  ));
}
