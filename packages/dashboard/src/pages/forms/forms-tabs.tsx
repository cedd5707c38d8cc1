import { NavTabs } from "../../components/nav-tabs.tsx";

export function FormsTabs({ agentId }: { agentId: string }) {
  const params = { agentId };
  return (
    <NavTabs
      label="Forms"
      tabs={[
        { name: "Submissions", to: "/agents/$agentId/forms", params },
        { name: "Analytics", to: "/agents/$agentId/forms/analytics", params },
      ]}
    />
  );
}
