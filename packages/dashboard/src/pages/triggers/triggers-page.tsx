import { Page } from "../../components/page.tsx";

export function TriggersPage() {
  return <Page title="TriggersPage">{null}</Page>;
}
