import { Page } from "../../components/page.tsx";

export function ConversationsPage() {
  return <Page title="ConversationsPage">{null}</Page>;
}
