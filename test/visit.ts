import type { TestServer } from "./server.ts";

/** Starts a conversation as a visitor who writes once. The agent's model has to be able to answer. */
export async function startVisit({ app }: Pick<TestServer, "app">, agentId: string) {
  const send = async (content: string, more: { conversationId?: string; token?: string } = {}) => {
    const { token, conversationId } = more;
    const { body } = await app.inject({
      method: "POST",
      url: "/chat",
      headers: token ? { authorization: `Bearer ${token}` } : {},
      payload: { agentId, conversationId, messages: [{ role: "user", content }] },
    });
    return (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? "";
  };
  const begun = await send("Hello?");
  const id = begun("conversationId");
  const token = begun("conversationToken");
  return {
    id,
    token,
    say: (content: string) => send(content, { conversationId: id, token }),
    askForPerson: () =>
      app.inject({
        method: "POST",
        url: `/conversations/${id}/handoff`,
        headers: { authorization: `Bearer ${token}` },
        payload: {},
      }),
  };
}
