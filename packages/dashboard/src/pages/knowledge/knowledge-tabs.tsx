import { NavTabs } from "../../components/nav-tabs.tsx";

export function KnowledgeTabs({ agentId }: { agentId: string }) {
  const params = { agentId };
  return (
    <NavTabs
      label="Knowledge"
      tabs={[
        { name: "Documents", to: "/agents/$agentId/knowledge", params },
        { name: "Sites", to: "/agents/$agentId/knowledge/sites", params },
        { name: "Unanswered", to: "/agents/$agentId/knowledge/unanswered", params },
      ]}
    />
  );
}
