/** What this tab remembers of its conversation with an agent; nothing when the browser keeps no data for us. */
export function createVisit(agentId) {
  const key = `foyer:${agentId}`;
  let visit = { sessionId: randomId(), ...read(key) };
  const save = (changes) => {
    visit = { ...visit, ...changes };
    try {
      sessionStorage.setItem(key, JSON.stringify(visit));
    } catch {
      // Then a reload begins anew.
    }
  };
  return {
    sessionId: visit.sessionId,
    /** `{ id, token }`, or null before the first reply */
    get conversation() {
      return visit.conversation ?? null;
    },
    remember: (conversation) => save({ conversation }),
    forget: () => save({ conversation: null }),
  };
}

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

/** Not `crypto.randomUUID`, which a page on plain http does not have. */
function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
