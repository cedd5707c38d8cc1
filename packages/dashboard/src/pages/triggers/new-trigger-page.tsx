import { Page } from "../../components/page.tsx";

export function NewTriggerPage() {
  return <Page title="NewTriggerPage">{null}</Page>;
}
