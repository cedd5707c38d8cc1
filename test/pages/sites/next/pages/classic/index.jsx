import { Home } from "../../lib/contents";

export default function Page() {
  return <Home next="/classic/bikes" />;
}
