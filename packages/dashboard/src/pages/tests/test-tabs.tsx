import { NavTabs } from "../../components/nav-tabs.tsx";

export function TestTabs({ agentId }: { agentId: string }) {
  const params = { agentId };
  return (
    <NavTabs
      label="Tests"
      tabs={[
        { name: "Tests", to: "/agents/$agentId/tests", params },
        { name: "Replays", to: "/agents/$agentId/tests/replays", params },
      ]}
    />
  );
}
