import { Page } from "../../components/page.tsx";

export function WebhooksPage() {
  return <Page title="WebhooksPage">{null}</Page>;
}
