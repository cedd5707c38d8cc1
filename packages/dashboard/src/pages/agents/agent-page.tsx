import { Page } from "../../components/page.tsx";

export function AgentPage() {
  return <Page title="AgentPage">{null}</Page>;
}
