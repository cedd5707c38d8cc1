import type { AgentWidget } from "@foyer/sdk";
import { expect, it } from "vitest";
import { chooseAgentImage } from "./agent-images.ts";

const options = { baseUrl: "https://example.com/support" };
const withLogo = (logo: string | null) => ({
  agent: { images: { logo, avatar: null, launcher: null } } as AgentWidget,
  options,
});

it("chooseAgentImage finds a saved image below the path of the server's address", () => {
  expect(chooseAgentImage(withLogo("/agents/agent_1/images/logo?v=1"), "logo")).toBe(
    "https://example.com/support/agents/agent_1/images/logo?v=1",
  );
});

it("chooseAgentImage keeps an unsaved image of the preview, and null for none", () => {
  expect(chooseAgentImage(withLogo("data:image/png;base64,AA"), "logo")).toBe("data:image/png;base64,AA");
  expect(chooseAgentImage(withLogo(null), "logo")).toBeNull();
});
