import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { KnexTransaction } from './outermost_commit.js'

/** What of knex's client is used here; it has the pool, and knows its driver. */
interface KnexClient {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
  query(connection: Connection, sql: string): Promise<unknown>
  transaction(
    container: (knex: object) => void,
    config: Record<string, unknown>,
    outer: null
  ): OwnTransaction
}

/** What knex keeps of a transaction, beside the object that it gives to whoever queries in it. */
interface OwnTransaction {
  begin(): unknown
  transactor: unknown
  _completed: boolean
  _evaluateContainer(): Promise<void>
  _onAcquire(container: (knex: object) => void, connection: Connection): Promise<unknown>
}

type Connection = object & { __knex__disposed?: unknown }

/** Milliseconds, as knex has it */
const ROLLBACK_PATIENCE = 5000

const CONNECTION = Symbol('connection')

/**
 * Begins a transaction of Lucid's whose knex is made when somebody asks for it. To make one takes longer
 * than to write a row, and what is made lives until the old generation is collected; but a write that
 * only runs statements of our own needs nothing of it.
 *
 * @param client  none that is a transaction itself
 * @throws  what the pool or the database say to a BEGIN
 */
export async function beginLightly(
  client: QueryClientContract
): Promise<TransactionClientContract> {
  const knex = client.getWriteClient().client as KnexClient
  /* Lucid makes its transaction of whatever its knex calls one. */
  const beginning = Object.create(client, {
    getWriteClient: { value: () => ({ transaction: () => begin(knex) }) },
  }) as QueryClientContract
  return await beginning.transaction()
}

/**
 * The driver's connection of a transaction that was begun so.
 *
 * @throws Error  when the transaction is over
 */
export function lightConnectionOf({ knexClient }: TransactionClientContract): object | undefined {
  return (knexClient as unknown as { [CONNECTION]?: object })[CONNECTION]
}

async function begin(client: KnexClient): Promise<KnexTransaction> {
  const connection = await client.acquireConnection()
  try {
    await client.query(connection, 'BEGIN;')
  } catch (error) {
    client.releaseConnection(connection)
    throw error
  }
  return new LightTransaction(client, connection).proxy
}

/** Knex's transactions are functions. */
const callable = () => {}

class LightTransaction implements ProxyHandler<typeof callable> {
  readonly proxy = new Proxy(callable, this) as unknown as KnexTransaction
  #isOver = false
  #knex: { own: OwnTransaction; transactor: object } | undefined
  /** What it needs no knex for, and what callers put in its place */
  readonly #light: Record<PropertyKey, unknown>
  #settle!: { resolve(): void; reject(error: unknown): void }

  constructor(
    private readonly client: KnexClient,
    private readonly connection: Connection
  ) {
    const executionPromise = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    /* Who waits for it hears of a failure; nobody has to. */
    executionPromise.catch(() => {})
    this.#light = {
      executionPromise,
      isTransaction: true,
      isCompleted: () => this.#isOver,
      commit: () => this.#commit(),
      rollback: () => this.#rollback(),
      parentTransaction: undefined,
      /* It is no promise, which `await` asks. */
      then: undefined,
    }
  }

  get(_: unknown, name: PropertyKey): unknown {
    if (name === CONNECTION) return this.#openConnection()
    return name in this.#light ? this.#light[name] : Reflect.get(this.#transactor, name)
  }

  set(_: unknown, name: PropertyKey, value: unknown): boolean {
    if (name in this.#light) this.#light[name] = value
    else Reflect.set(this.#transactor, name, value)
    return true
  }

  has(_: unknown, name: PropertyKey): boolean {
    return name === CONNECTION || name in this.#light || name in this.#transactor
  }

  apply(_: unknown, __: unknown, given: unknown[]): unknown {
    return (this.#transactor as (...given: unknown[]) => unknown)(...given)
  }

  #openConnection(): Connection {
    if (this.#isOver) throw new Error('The transaction is over')
    return this.connection
  }

  /** Over is over, as with knex. */
  async #commit(): Promise<void> {
    if (this.#isOver) return
    this.#end()
    try {
      await this.client.query(this.connection, 'COMMIT;')
      this.#settle.resolve()
    } catch (error) {
      this.#settle.reject(error)
      throw error
    } finally {
      this.client.releaseConnection(this.connection)
    }
  }

  async #rollback(): Promise<void> {
    if (this.#isOver) return
    this.#end()
    const { client, connection } = this
    const patience = new AbortController()
    const late = sleep(ROLLBACK_PATIENCE, 'late', { signal: patience.signal })
    late.catch(() => {})
    try {
      const end = await Promise.race([client.query(connection, 'ROLLBACK'), late])
      if (end === 'late') throw new Error('The transaction could not be rolled back in time')
      this.#settle.resolve()
    } catch (error) {
      /* Whether it is still open nobody knows: the pool is to make another connection. */
      connection.__knex__disposed = error
      this.#settle.reject(error)
    } finally {
      patience.abort()
      client.releaseConnection(connection)
    }
  }

  #end() {
    this.#isOver = true
    if (this.#knex) this.#knex.own._completed = true
  }

  /** Knex's own object for it: made as knex does when it has begun one, but at once. */
  get #transactor(): object {
    if (this.#knex) return this.#knex.transactor
    let transactor!: object
    const take = (made: object) => void (transactor = made)
    const config = { connection: this.connection, userParams: {}, doNotRejectOnRollback: true }
    const own = this.client.transaction(take, config, null)
    own.begin = () => BEGUN
    own._evaluateContainer = async () => {}
    own._onAcquire(take, this.connection).catch(() => {})
    own._completed = this.#isOver
    /* Transactions within it know it by the object that everybody else has. */
    own.transactor = this.proxy
    this.#knex = { own, transactor }
    return transactor
  }
}

/** Stands where knex has the promise of a BEGIN, and goes on at once. */
const BEGUN = {
  then(next: (value?: unknown) => unknown) {
    const value = next()
    return { then: (last: (value: unknown) => unknown) => (last(value), BEGUN) }
  },
  catch: () => BEGUN,
}
