import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidCrud } from '#crud'
import { fieldsReadOnly } from '#base/http/problems'
import { inTransaction } from '#base/database/transaction'
import { endLongTurn } from '#base/event_loop'
import type { Site } from '../../views/site.js'
import type { ImportSpec } from '../import_spec.js'
import type { FileRow } from '../../sheets/file_shape.js'
import { addError, isInvalid, type Draft, noteError, draftOf, sortErrors } from './draft.js'
import { UniqueValues, ReferredRows } from './check_database.js'
import { findRecords, noteKeys, type SeenKeys, findTitles } from './find_records.js'
import { judgeValues, readCells } from './judge_values.js'

/** Ends the transaction of a trial. */
class Undone extends Error {}

/**
 * Decides about rows as their creates and updates would: permissions, policy, references, own preparation of values, and
 * whether the importer would still reach the records. Nothing is written, and the model's hooks do not run. [D3]
 */
async function tryWrites(
  site: Site,
  spec: ImportSpec,
  drafts: readonly Draft[],
  client: QueryClientContract
): Promise<void> {
  const { crud } = spec.importer.view
  if (!crud.hasOwnPreparation) return await tryAll(site, spec, drafts, client)
  /* Own code may write with the transaction that it is given. */
  try {
    await inTransaction(spec.importer.view.client(), async (transaction) => {
      await tryAll(site, spec, drafts, transaction)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

async function tryAll(
  site: Site,
  { importer }: ImportSpec,
  drafts: readonly Draft[],
  client: QueryClientContract
): Promise<void> {
  const { actor, origin, view } = importer
  const options = { client, actor, origin }
  for (const operation of ['create', 'update'] as const) {
    const kind = operation === 'create' ? 'new' : 'changed'
    const unstored: Array<Parameters<LucidCrud['judgeUnstored']>[1][number] & { draft: Draft }> = []
    for (const draft of drafts) {
      if (isInvalid(draft) || draft.kind !== kind) continue
      try {
        const { values } = draft
        if (draft.record) await view.crud.tryUpdate(draft.record, values, options)
        const record = draft.record ?? (await view.crud.tryCreate(values, options))
        unstored.push({ draft, record, sent: [...draft.changes.keys()] })
      } catch (error) {
        noteError(site, view, draft, error)
      }
    }
    const verdicts = await view.crud.judgeUnstored(operation, unstored, options)
    verdicts.forEach(({ isRefused, readOnly }, index) => {
      const { draft } = unstored[index]
      if (readOnly.length > 0) noteError(site, view, draft, fieldsReadOnly([...readOnly]))
      else if (isRefused) addError(draft, null, site.text('import.errors.outOfReach'))
    })
  }
}

/**
 * Judges the rows of a file, some hundred together, in their order: a row is compared with those before it. [D3]
 */
export class RowChecker {
  readonly #seen: SeenKeys = new Map()
  readonly #unique: UniqueValues
  readonly #referred: ReferredRows

  constructor(
    private readonly site: Site,
    private spec: ImportSpec
  ) {
    const { resource } = spec.importer.view
    this.#unique = new UniqueValues(resource)
    this.#referred = new ReferredRows(resource)
  }

  /** Goes on with the permissions that the importer has by now. */
  continueAs(spec: ImportSpec): void {
    this.spec = spec
  }

  /** Passes over rows that are done already: a later one must not have the key of one of them. */
  async skip(rows: readonly FileRow[], client: QueryClientContract): Promise<void> {
    const { site, spec } = this
    if (spec.key.length === 0) return
    const drafts = rows.map(draftOf)
    for (const draft of drafts) readCells(site, spec, draft)
    await findTitles(site, spec, drafts, client)
    noteKeys(site, spec.key, drafts, this.#seen)
  }

  /**
   * @param client  to read with; that of a transaction in which the rows are written then: their records are locked
   * @param isDryRun  true to ask policy, scope and own code, too, as nothing will be written
   */
  async check(
    rows: readonly FileRow[],
    client: QueryClientContract,
    isDryRun: boolean
  ): Promise<Draft[]> {
    const { site, spec } = this
    const drafts = rows.map(draftOf)
    for (const draft of drafts) readCells(site, spec, draft)
    await endLongTurn()
    await findTitles(site, spec, drafts, client)
    await findRecords(site, spec, drafts, this.#seen, client, !isDryRun)
    for (const draft of drafts) {
      await endLongTurn()
      await judgeValues(site, spec, draft)
    }
    await endLongTurn()
    await this.#unique.check(site, spec, drafts, client)
    await this.#referred.check(site, spec, drafts, client)
    if (isDryRun) await tryWrites(site, spec, drafts, client)
    const names = spec.columns.map(({ field }) => field.name)
    for (const draft of drafts) sortErrors(draft, names)
    return drafts
  }
}
