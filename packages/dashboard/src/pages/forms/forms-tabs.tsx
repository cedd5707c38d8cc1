import { NavTabs } from "../../components/nav-tabs.tsx";

/** The submissions of an agent's forms, and the analytics of its forms. */
export function FormsTabs({ agentId }: { agentId: string }) {
  const params = { agentId };
  return (
    <NavTabs
      label="Submissions and analytics"
      tabs={[
        { name: "Submissions", to: "/agents/$agentId/forms", params },
        { name: "Analytics", to: "/agents/$agentId/forms/analytics", params },
      ]}
    />
  );
}
