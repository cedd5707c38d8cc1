import { Page } from "../../components/page.tsx";

export function AgentsPage() {
  return <Page title="AgentsPage">{null}</Page>;
}
