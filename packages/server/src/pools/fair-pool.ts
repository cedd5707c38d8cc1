import { AppError } from "../errors.ts";
import { registerPool } from "./pool-metrics.ts";

/**
 * Who takes slots: an organization, and the IP address that limits apply to, if any. `weight` is the number of slots, 1
 * by default.
 */
export type Holder = { owner: string; address?: string | null; weight?: number };

/** Returns a slot to its pool. Calls after the first one have no effect. */
export type Release = () => void;

export type PoolOptions = {
  /** the label of the pool's metrics; a pool without a name is not measured */
  name?: string;
  /** the number of slots; 0 means that there is no limit */
  size: number;
  /** the maximum number of slots of one owner; a quarter of the pool by default */
  maxPerOwner?: number;
  /** An owner may hold this many times as many slots as are free; 1 by default. */
  freeFactor?: number;
  /** the maximum number of slots of one IP address; 0, the default, means that there is no limit */
  maxPerAddress?: number;
  /** the maximum number of callers that wait, per owner and in total; further ones are rejected */
  maxWaitingPerOwner?: number;
  maxWaiting?: number;
  /** the messages of the errors for callers that get no slot and may not wait */
  messages?: { busy: string; address?: string };
  /** the number of seconds after which a rejected caller may try again */
  retryAfter?: number;
};

export type FairPool = ReturnType<typeof createFairPool>;

type Waiting = Holder & { start(): void };

/**
 * A bounded resource that organizations share. An owner takes a slot only while it holds fewer than `maxPerOwner` slots
 * and fewer than `freeFactor` times the free slots. The second rule is the "dynamic threshold" of shared-memory
 * switches (Choudhury and Hahne, 1998): the fuller the pool is, the smaller the shares are, so a few greedy owners leave
 * free slots for the next one. When many owners have filled the pool, a slot that becomes free goes to an owner without
 * any.
 *
 * Callers that may wait do so in the queue of their owner, and the owners take turns.
 */
export function createFairPool(options: PoolOptions) {
  const { name, maxWaitingPerOwner = 0, maxWaiting = Number.POSITIVE_INFINITY, retryAfter = 5 } = options;
  const messages = { busy: "The server is busy. Try again in a moment.", ...options.messages };
  const slots = createSlots(options);
  const queues = createQueues();
  let refused = 0;

  function refuse(holder: Holder): AppError {
    refused++;
    if (messages.address !== undefined && slots.isAddressFull(holder)) {
      return new AppError("RATE_LIMITED", messages.address, { retryAfter, limit: slots.maxPerAddress });
    }
    return new AppError("OVERLOADED", messages.busy, { retryAfter });
  }

  function take(holder: Holder): Release {
    const weight = holder.weight ?? 1;
    slots.add(holder, weight);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      slots.add(holder, -weight);
      queues.startAll(slots.mayTake);
    };
  }

  /** @returns null when the holder may not take a slot now */
  function tryEnter(holder: Holder): Release | null {
    return slots.mayTake(holder) ? take(holder) : null;
  }

  /**
   * Waits for a slot.
   * @throws AppError when too many callers are waiting, and the signal's reason when it is aborted first
   */
  async function acquire(holder: Holder, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const release = tryEnter(holder);
    if (release) return release;
    if (queues.count(holder.owner) >= maxWaitingPerOwner || queues.count() >= maxWaiting) throw refuse(holder);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        withdraw();
        reject(signal?.reason);
      };
      const withdraw = queues.add({
        ...holder,
        start() {
          signal?.removeEventListener("abort", onAbort);
          resolve(take(holder));
        },
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  const pool = {
    name,
    size: slots.size,
    maxPerOwner: slots.maxPerOwner,
    acquire,
    tryEnter,
    /** Takes a slot without waiting. @throws AppError 429 when the address has too many slots, otherwise 503 */
    enter(holder: Holder): Release {
      const release = tryEnter(holder);
      if (!release) throw refuse(holder);
      return release;
    },
    mayEnter: slots.mayTake,
    /** Throws like `enter`, without taking a slot. */
    checkRoom(holder: Holder): void {
      if (!slots.mayTake(holder)) throw refuse(holder);
    },
    /** Runs `work` with a slot. @throws what `acquire` throws */
    async run<T>(holder: Holder, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const release = await acquire(holder, signal);
      try {
        // The signal may have been aborted in the turn in which the slot was taken.
        signal?.throwIfAborted();
        return await work();
      } finally {
        release();
      }
    },
    countRoom: slots.countRoom,
    inUse: slots.inUse,
    planClaim: slots.planClaim,
    ownersWithAtLeast: slots.ownersWithAtLeast,
    stats: () => ({ inUse: slots.inUse(), waiting: queues.count(), refused, largestShare: slots.largestShare() }),
  };
  registerPool(pool);
  return pool;
}

/** An owner that holds no slots. */
const NEW_OWNER = "";

/** Counts the slots of each owner and address, and decides who may take another one. */
function createSlots({ freeFactor = 1, ...options }: PoolOptions) {
  const size = options.size > 0 ? options.size : Number.POSITIVE_INFINITY;
  const maxPerOwner = options.maxPerOwner ?? Math.ceil(size / 4);
  const maxPerAddress = options.maxPerAddress || Number.POSITIVE_INFINITY;
  const perOwner = new Map<string, number>();
  const perAddress = new Map<string, number>();
  let inUse = 0;

  /** Returns how many more slots the owner may take now if nobody else takes any. */
  function countRoom(owner: string): number {
    const held = perOwner.get(owner) ?? 0;
    if (size === Number.POSITIVE_INFINITY) return Math.max(0, maxPerOwner - held);
    // Each slot that the owner takes is one free slot less.
    const belowThreshold = Math.ceil((freeFactor * (size - inUse) - held) / (1 + freeFactor));
    return Math.max(0, Math.min(maxPerOwner - held, belowThreshold, size - inUse));
  }

  const isAddressFull = ({ address, weight = 1 }: Holder) =>
    address != null && (perAddress.get(address) ?? 0) + weight > maxPerAddress;

  return {
    size,
    maxPerOwner,
    maxPerAddress,
    countRoom,
    isAddressFull,
    mayTake: (holder: Holder) => countRoom(holder.owner) >= (holder.weight ?? 1) && !isAddressFull(holder),
    add({ owner, address }: Holder, change: number): void {
      inUse += change;
      addTo(perOwner, owner, change);
      if (address != null) addTo(perAddress, address, change);
    },
    /** The number of slots that are in use, in total or by one owner. */
    inUse: (owner?: string): number => (owner === undefined ? inUse : (perOwner.get(owner) ?? 0)),
    /**
     * Returns how many jobs may be claimed from a queue: at most `limit`, all of which get a slot whoever owns them, and
     * none of the owners in `exceptOwners`, which have less than `minRoom`.
     */
    planClaim({ max = size, minRoom = 1 } = {}): { limit: number; exceptOwners: string[] } {
      const rooms = [...perOwner.keys()].map((owner) => ({ owner, room: countRoom(owner) }));
      const claimable = rooms.filter(({ room }) => room >= minRoom);
      return {
        limit: Math.min(max, countRoom(NEW_OWNER), ...claimable.map(({ room }) => room)),
        exceptOwners: rooms.filter(({ room }) => room < minRoom).map(({ owner }) => owner),
      };
    },
    /** The owners that hold at least this many slots. */
    ownersWithAtLeast: (held: number): string[] =>
      [...perOwner].flatMap(([owner, count]) => (count >= held ? owner : [])),
    largestShare: () => Math.max(0, ...perOwner.values()),
  };
}

function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** Keeps the waiting callers of each owner. The owner whose turn is next comes first. */
function createQueues() {
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;

  function withdraw(caller: Waiting): void {
    const queue = queues.get(caller.owner) ?? [];
    const index = queue.indexOf(caller);
    if (index < 0) return;
    queue.splice(index, 1);
    waiting--;
    if (queue.length === 0) queues.delete(caller.owner);
  }

  return {
    count: (owner?: string): number => (owner === undefined ? waiting : (queues.get(owner)?.length ?? 0)),
    /** @returns a function that withdraws the caller */
    add(caller: Waiting): () => void {
      const queue = queues.get(caller.owner) ?? [];
      queues.set(caller.owner, queue);
      queue.push(caller);
      waiting++;
      return () => withdraw(caller);
    },
    /**
     * Starts the next caller of each owner that may take its slots, and lets the other owners go first afterwards, until
     * nobody may start. Callers of different weights can start after one release.
     */
    startAll(mayTake: (caller: Waiting) => boolean): void {
      for (let hasStarted = true; hasStarted; ) {
        hasStarted = false;
        for (const [owner, queue] of [...queues]) {
          const next = queue.find(mayTake);
          if (!next) continue;
          hasStarted = true;
          withdraw(next);
          queues.delete(owner);
          if (queue.length > 0) queues.set(owner, queue);
          next.start();
        }
      }
    },
  };
}
