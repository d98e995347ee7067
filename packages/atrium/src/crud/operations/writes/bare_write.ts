import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ambientActor, NOBODY } from '#base/actor'
import { inBareTransaction, type RunSql } from '#base/database/shared_transaction'
import { dialectOf } from '#base/database/dialects'
import { hasListeners } from '../../events/model_events.js'
import {
  recordByStatements,
  recordersByStatements,
  tell,
  type RecordByStatements,
} from '../../events/observers.js'
import { watchedResourceOf } from '../../events/watched.js'
import { Write } from '../../events/write.js'
import { itemNotFound, nothingStored } from '#base/http/problems'
import type { Resource } from '../../resource/resource.js'
import type { Sql } from '#base/sql/sql'
import type { Actor, Origin } from '../../types.js'
import type { CallOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'

type Row = Record<string, unknown>

/**
 * A write that needs no transaction of Lucid's, as no own code could see one: the caller has none, all observers record by
 * statements, and a row becomes an item without the model.
 *
 * @returns undefined if it needs one
 */
export function bareWriteFor(
  { resource }: CrudContext,
  client: QueryClientContract,
  { actor = ambientActor() ?? NOBODY, origin }: CallOptions
): BareWrite | undefined {
  if (client.isTransaction || !resource.reader.answersPlainly) return undefined
  const watched = watchedResourceOf(resource.model)
  if (watched && !watched.isLoaded) return undefined
  const by = { actor, origin }
  const recorders = watched ? recordersByStatements(client, by) : []
  return recorders && new BareWrite(client, resource, watched, recorders, by)
}

interface UpdateStatements {
  /** Selects the row with all columns, and locks it */
  select(): Sql
  /**
   * Updates the row, and returns it with all columns
   *
   * @param condition  that the row has to meet as well
   */
  update(condition?: Sql): Sql
}

/** Stores one row, with what observers record of it, in one transaction of the driver or by one statement. */
class BareWrite {
  constructor(
    private readonly client: QueryClientContract,
    private readonly resource: Resource,
    private readonly watched: Resource | undefined,
    private readonly recorders: readonly RecordByStatements[],
    private readonly by: { actor: Actor; origin: Origin | undefined }
  ) {}

  /**
   * @param insert  of one row, which returns it
   * @throws WriteNotRecorded  or the database's error
   */
  async create(insert: Sql): Promise<Row> {
    if (this.recorders.length > 0) {
      return await this.#recorded(async (run) => {
        const [row] = await run(insert)
        if (!row) throw nothingStored()
        return [null, row]
      })
    }
    const [row] = await this.#alone(insert, ([stored]) => stored && this.#tell(null, stored))
    if (!row) throw nothingStored()
    return row
  }

  /** @throws Problem 404, WriteNotRecorded or the database's error */
  async update(statements: UpdateStatements): Promise<Row> {
    if (this.recorders.length > 0 || (this.watched && hasListeners())) {
      return await this.#recorded(async (run) => {
        const [before, after] = await this.#updateLocked(statements, run)
        if (!after) throw itemNotFound()
        return [before, after]
      })
    }
    const [row] = await this.#alone(statements.update())
    if (!row) throw itemNotFound()
    return row
  }

  async #alone(statement: Sql, committed: (rows: Row[]) => void = () => {}): Promise<Row[]> {
    return await inBareTransaction(this.client, (run) => run(statement), committed, true)
  }

  /** @returns the row before and after, or nothing if there is none */
  async #updateLocked({ select, update }: UpdateStatements, run: RunSql): Promise<Row[]> {
    const dialect = dialectOf(this.client)
    if (dialect.updateLockedSql) {
      const names = this.resource.columns.all.map(({ name }) => name)
      return await run(dialect.updateLockedSql(select(), update, names))
    }
    const [before] = await run(select())
    return before ? [before, ...(await run(update()))] : []
  }

  /** @param work  returns the row before and after the write */
  async #recorded(work: (run: RunSql) => Promise<[Row | null, Row]>): Promise<Row> {
    const written = await inBareTransaction(
      this.client,
      async (run) => {
        const [before, after] = await work(run)
        const write = this.#writeOf(before, after)
        const isTold = write && !(before && write.isRepetition)
        if (isTold) await recordByStatements(write, this.recorders, run)
        return { row: after, write: isTold ? write : undefined }
      },
      ({ write }) => write && tell([write])
    )
    return written.row
  }

  #writeOf(before: Row | null, after: Row): Write | undefined {
    return this.watched && Write.ofRow(this.watched, before, after, this.client, this.by)
  }

  #tell(before: Row | null, after: Row): void {
    const write = this.#writeOf(before, after)
    if (write) tell([write])
  }
}
