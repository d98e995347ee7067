import { randomUUID } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '../database/dialects.js'
import { migrationsPath } from '../engine_file.js'
import { RuntimeError } from '../errors.js'
import { keyReused, stillRunning } from './problems.js'

const TABLE = 'idempotency_keys'
const HOUR = 3_600_000

/* Time after which a terminated process no longer blocks its key; longer than any write waits and runs. */
const LEASE = 60_000

/* If several requests find an expired row, one of them deletes it and the others try again. */
const MOST_TRIES = 3

/** The connections that have the table, and the time at which this process last deleted expired rows on them */
const PRUNED = new Map<string, number>()

interface Row {
  id: string
  claim: string | null
  content: string
  expires_at: number | string | bigint
}

interface Content {
  /** Digest of the body that was sent with the key */
  fingerprint: string
  /** Absent while the request is being processed */
  response?: object
}

/** Thrown if another request has performed the same write. */
export class ResponseExists extends Error {}

/** A claim on a key, which lets its owner alone perform the key's write */
export interface Claim {
  id: string
  claim: string
  fingerprint: string
}

/**
 * Stored responses of one connection. A claim to a key is visible to all processes before the work begins; the response
 * becomes visible together with the written data, through the same commit.
 */
export class StoredResponses {
  readonly #client: QueryClientContract
  readonly #hours: number

  private constructor(client: QueryClientContract, hours: number) {
    this.#client = client
    this.#hours = hours
  }

  /**
   * @param hours  number of hours for which a response is stored
   * @throws RuntimeError  when the connection does not have the table
   */
  static async on(client: QueryClientContract, hours: number): Promise<StoredResponses> {
    const { connectionName } = client
    if (!PRUNED.has(connectionName)) {
      if (!(await dialectOf(client).readTable(client, TABLE))) {
        throw new RuntimeError(
          `The connection "${connectionName}" has no table ${TABLE}, which Idempotency-Key needs. Add '${migrationsPath('crud')}' to the paths of its migrations in config/database.ts, and run: node ace migrate`
        )
      }
      PRUNED.set(connectionName, 0)
    }
    return new StoredResponses(client, hours)
  }

  /**
   * Claims the key, unless it is already claimed.
   *
   * @returns the claim, or the stored response
   * @throws Problem 409 while another request holds the claim, 422 if the key was sent with another body
   */
  async begin<Result extends object>(id: string, fingerprint: string): Promise<Claim | Result> {
    const claim = { id, claim: randomUUID(), fingerprint }
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const row = await this.#find(id)
      if (row?.claim === claim.claim) {
        await this.#prune()
        return claim
      }
      if (row && Number(row.expires_at) > Date.now()) return responseIn<Result>(row, fingerprint)
      if (row) await this.#removeExpired({ id })
      await this.#insert(claim)
    }
    throw stillRunning()
  }

  /**
   * Stores the response, in the transaction of the write.
   *
   * @throws Problem 409  when another request now holds the claim: nothing must be stored
   */
  async complete(
    { id, claim, fingerprint }: Claim,
    response: object,
    transaction: TransactionClientContract
  ) {
    const changed = await transaction
      .query()
      .from(TABLE)
      .where({ id, claim })
      .update({
        claim: null,
        content: seal(id, { fingerprint, response }),
        expires_at: Date.now() + this.#hours * HOUR,
      })
    if (Number(changed) !== 1) throw stillRunning()
  }

  /**
   * Runs `write` and stores its response in the same transaction. In the database, other calls with the same id wait for
   * the end of the transaction.
   *
   * @throws ResponseExists  when another transaction has stored the response; the caller must roll back
   */
  async storeOnce<Result>(
    id: string,
    transaction: TransactionClientContract,
    write: () => Promise<Result>,
    responseOf: (result: Result) => object
  ): Promise<Result> {
    const claim = { id, claim: randomUUID(), fingerprint: '' }
    await this.#removeExpired({ id }, transaction)
    await this.#insert(claim, transaction)
    const row = await this.#find(id, transaction)
    if (row?.claim !== claim.claim) throw new ResponseExists()
    const result = await write()
    await this.complete(claim, responseOf(result), transaction)
    return result
  }

  /** Returns the response that `storeOnce` has stored; null if there is none. */
  async stored<Result extends object>(id: string): Promise<Result | null> {
    const row = await this.#find(id)
    if (!row || row.claim !== null || Number(row.expires_at) <= Date.now()) return null
    return responseIn<Result>(row, '')
  }

  /** Releases the key. If that fails, the claim expires. */
  async release({ id, claim }: Claim): Promise<void> {
    const deleted = this.#client.query().from(TABLE).where({ id, claim }).delete()
    await deleted.exec().catch(() => {})
  }

  async #find(id: string, client = this.#client): Promise<Row | undefined> {
    const sql = `select id, claim, content, expires_at from ${TABLE} where id = ?`
    const [row] = await dialectOf(client).selectRows(client, sql, [id])
    return row as unknown as Row | undefined
  }

  /** Inserts a claim. Of several concurrent inserts the database accepts one; the others find its row afterwards. */
  async #insert({ id, claim, fingerprint }: Claim, client = this.#client) {
    await client
      .insertQuery()
      .table(TABLE)
      .onConflict('id')
      .ignore()
      .insert({ id, claim, content: seal(id, { fingerprint }), expires_at: Date.now() + LEASE })
  }

  async #removeExpired(where: { id?: string }, client = this.#client) {
    await client.query().from(TABLE).where(where).where('expires_at', '<=', Date.now()).delete()
  }

  /** Deletes expired rows about once an hour, during a write. */
  async #prune() {
    const { connectionName, isTransaction } = this.#client
    const last = PRUNED.get(connectionName) ?? 0
    if (isTransaction || Date.now() - last < HOUR) return
    PRUNED.set(connectionName, Date.now())
    await this.#removeExpired({}).catch(() => {})
  }
}

/** Encrypts the content of a row, bound to its id, so that it cannot be decrypted under another id. */
function seal(id: string, content: Content): string {
  return encryption.encrypt(content, { purpose: id })
}

function responseIn<Result extends object>({ id, content }: Row, fingerprint: string): Result {
  const opened = encryption.decrypt<Content>(content, id)
  if (opened?.fingerprint !== fingerprint) throw keyReused()
  if (!opened.response) throw stillRunning()
  return opened.response as Result
}
