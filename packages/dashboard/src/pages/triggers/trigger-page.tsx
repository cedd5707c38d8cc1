import { Page } from "../../components/page.tsx";

export function TriggerPage() {
  return <Page title="TriggerPage">{null}</Page>;
}
