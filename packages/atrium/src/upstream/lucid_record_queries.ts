/*
 * Lucid 22.4.2 requests the query of each write from the record, with `$getQueryFor`, and passes the result of an
 * insert to `$consumeAdapterResult`; both are typed but undocumented. No other API can replace the statement of one
 * `save()` with its hooks, or prevent Lucid from using the number of a new row as a text key. No issue known. The code
 * can be removed when the test "Lucid still uses the row number as the key" fails, and Lucid documents a way to replace
 * the statement of a `save()`.
 */
import { BaseModel } from '@adonisjs/lucid/orm'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { expectLibrary, hasMethods, hasText } from './expect_library.js'
import { isRepaired } from './repair_member.js'

export type WriteAction = 'insert' | 'update' | 'delete' | 'refresh'

/**
 * Checks the parts of Lucid that this file relies on.
 *
 * @throws Exception  when Lucid's `save()` works in a different way
 */
export function checkLibrary(row: object = BaseModel.prototype): void {
  expectLibrary('@adonisjs/lucid', 'lucid_record_queries', {
    'BaseModel#$getQueryFor': hasMethods(row, '$getQueryFor'),
    'BaseModel#$consumeAdapterResult': hasMethods(row, '$consumeAdapterResult'),
  })
  const { $adapter } = BaseModel
  expectLibrary('@adonisjs/lucid', 'lucid_record_queries', {
    '$getQueryFor in Adapter#insert': !$adapter || hasText($adapter.insert, '$getQueryFor'),
    '$getQueryFor in Adapter#update': !$adapter || hasText($adapter.update, '$getQueryFor'),
  })
}

/** True if a model creates the queries of its records itself. */
export function makesOwnQueries(model: LucidModel): boolean {
  return model.prototype.$getQueryFor !== BaseModel.prototype.$getQueryFor
}

/**
 * True if the records of a model override methods of Lucid, or have initial values, so that a new record can contain
 * more than the values that it is given.
 */
export function makesOwnRecords(model: LucidModel): boolean {
  const usual = new Set(Object.getOwnPropertyNames(BaseModel.prototype))
  let own = model.prototype as object
  while (own !== BaseModel.prototype) {
    const level = own
    const names = Object.getOwnPropertyNames(level).filter((name) => !isRepaired(level, name))
    if (names.some((name) => name !== 'constructor' && usual.has(name))) return true
    own = Object.getPrototypeOf(own)
  }
  return (
    usualOf(model.$adapter) !== BaseModel.$adapter ||
    Object.keys(new model().$attributes).length > 0
  )
}

type Adapter = LucidModel['$adapter']

/** Adapters of the engine, with the adapters that they wrap */
const WRAPPED = new WeakMap<Adapter, Adapter>()

function usualOf(adapter: Adapter): Adapter {
  const usual = WRAPPED.get(adapter)
  return usual ? usualOf(usual) : adapter
}

/**
 * Calls a function before each insert of a record of a model or its subclasses, after all hooks, and also without
 * hooks.
 *
 * @param check  receives the row by column name; an error that it throws prevents the insert
 */
export function beforeInsert(
  model: LucidModel,
  check: (record: LucidRow, row: Record<string, unknown>) => Promise<void>
): void {
  const own = Object.getOwnPropertyDescriptor(model, '$adapter')?.value as Adapter | undefined
  let adapter: Adapter | undefined
  Object.defineProperty(model, '$adapter', {
    configurable: true,
    /*
     * Looked up on each access, because Lucid assigns another adapter to `BaseModel` for each application of the
     * process.
     */
    get() {
      const usual = own ?? (Object.getPrototypeOf(model) as LucidModel).$adapter
      if (usual && (!adapter || WRAPPED.get(adapter) !== usual)) adapter = wrapped(usual, check)
      return adapter
    },
    set(this: LucidModel, value: Adapter) {
      Object.defineProperty(this, '$adapter', { configurable: true, writable: true, value })
    },
  })
}

function wrapped(usual: Adapter, check: Parameters<typeof beforeInsert>[1]): Adapter {
  const adapter: Adapter = Object.create(usual)
  adapter.insert = async (record, row) => {
    await check(record, row)
    await usual.insert(record, row)
  }
  WRAPPED.set(adapter, usual)
  return adapter
}

/**
 * Replaces the query of a record's next writes.
 *
 * @param replace  called with the action, its client, and a function that creates Lucid's query
 */
export function replaceQueries(
  record: LucidRow,
  replace: (action: WriteAction, client: TransactionClientContract, usual: () => any) => unknown
): void {
  const queryFor = record.$getQueryFor.bind(record) as (...given: unknown[]) => any
  record.$getQueryFor = ((action: WriteAction, client: TransactionClientContract) =>
    replace(action, client, () => queryFor(action, client))) as any
}

/**
 * Prevents a record from using the value that an insert reports as its key, if `isGiven` returns true, because the key
 * is already set. Results of other queries, such as the counts of `loadCount`, are accepted.
 *
 * @param names  names of the key's columns
 */
export function keepGivenKey(
  record: LucidRow,
  names: readonly string[],
  isGiven: () => boolean
): void {
  const consume = record.$consumeAdapterResult.bind(record)
  record.$consumeAdapterResult = (result, sideloaded) => {
    const isStored = (name: string) => names.includes(name) && isGiven()
    consume(
      Object.fromEntries(Object.entries(result).filter(([name]) => !isStored(name))),
      sideloaded
    )
  }
}
