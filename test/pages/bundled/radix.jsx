import { Dialog } from "radix-ui";
import { renderRoutes } from "./router-page.jsx";

const stayOpen = (event) => event.preventDefault();

renderRoutes(() => (
  <Dialog.Root open>
    <Dialog.Portal>
      <Dialog.Overlay />
      <Dialog.Content onInteractOutside={stayOpen} aria-describedby={undefined}>
        <Dialog.Title>Sizes</Dialog.Title>
        <input id="inner" aria-label="Size" />
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
));
