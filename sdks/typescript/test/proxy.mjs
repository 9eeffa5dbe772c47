// A proxy between clients and the service that can interrupt connections, as a bad network does.
import { connect, createServer } from "node:net";

export async function startProxy(target) {
  const { hostname, port } = new URL(target);
  const sockets = new Set();
  const silent = new Set();
  const state = { isDown: false, connections: 0, /** Called with the bytes from the service before they are passed on. */ onDown: undefined };
  const server = createServer((inner) => {
    if (state.isDown) return inner.destroy();
    state.connections += 1;
    const outer = connect(Number(port), hostname);
    for (const [socket, other] of [[inner, outer], [outer, inner]]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => (sockets.delete(socket), other.destroy()));
    }
    const isSilent = () => silent.has(inner);
    inner.on("data", (bytes) => isSilent() || outer.write(bytes));
    outer.on("data", (bytes) => {
      if (isSilent() || state.onDown?.(bytes)) return;
      inner.write(bytes);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    state,
    url: `http://127.0.0.1:${server.address().port}`,
    /** Interrupts all connections, and refuses new ones. */
    goDown() {
      state.isDown = true;
      for (const socket of sockets) socket.destroy();
    },
    /** Drops what is sent on the open connections, without closing them: nobody notices. */
    goSilent() {
      for (const socket of sockets) silent.add(socket);
    },
    goUp() {
      state.isDown = false;
    },
    stop() {
      this.goDown();
      server.close();
    },
  };
}
