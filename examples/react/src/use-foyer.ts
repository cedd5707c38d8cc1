import { type FoyerApi, loadFoyer } from "@foyer/widget";
import { useEffect, useState } from "react";

/** The widget, once it is on the page. All components share one. */
export function useFoyer(): FoyerApi | null {
  const [foyer, setFoyer] = useState<FoyerApi | null>(null);
  useEffect(() => {
    let isGone = false;
    const { VITE_FOYER_URL: baseUrl, VITE_FOYER_AGENT_ID: agentId } = import.meta.env;
    loadFoyer({ baseUrl, agentId }).then(
      (loaded) => {
        if (!isGone) setFoyer(loaded);
      },
      () => {
        // The page works without a chat, and the browser has already reported the cause.
      },
    );
    return () => {
      isGone = true;
    };
  }, []);
  return foyer;
}
