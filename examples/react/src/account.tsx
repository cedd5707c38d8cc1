import type { FoyerApi } from "@foyer/widget";
import { useState } from "react";

/**
 * Signs in to the shop, whose server then proves the visitor's identity to Foyer: it signs a token with the agent's
 * identity secret, which never reaches the browser. See "Identify visitors" in Foyer's documentation for the server's
 * part.
 */
export function Account({ foyer }: { foyer: FoyerApi | null }) {
  const [name, setName] = useState<string | null>(null);

  async function signIn() {
    const response = await fetch("/api/foyer-token", { method: "POST" });
    if (!response.ok) return;
    const { name, userToken }: { name: string; userToken: string } = await response.json();
    foyer?.identify({ userToken });
    setName(name);
  }

  function signOut() {
    foyer?.logout();
    setName(null);
  }

  return name === null ? (
    <button type="button" disabled={!foyer} onClick={signIn}>
      Sign in
    </button>
  ) : (
    <p>
      Signed in as {name}.{" "}
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </p>
  );
}
