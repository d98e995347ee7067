/*
 * Reads by every feature of Lucid that a hook can use on its record and in its transaction, in a fixed order, so that
 * the results can be compared.
 */
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { Gate, Mark, Room, Studio } from '#tests/fixtures/own_code'

/**
 * @param gate  a stored record; undefined where a hook has none; without a key and deleted, Lucid reads nothing by it
 */
export async function useReads(client: TransactionClientContract, gate?: Gate) {
  const [mine, other] = await Studio.createMany([{ name: 'mine' }, { name: 'other' }], { client })
  await Room.createMany(
    [
      { name: 'hall', studioId: mine.id, size: 3 },
      { name: 'attic', studioId: mine.id, size: 4 },
    ],
    { client }
  )
  return {
    models: await readModels(client, mine),
    record: gate?.id && !gate.$isDeleted && (await readRecord(client, gate, [mine, other])),
  }
}

async function readModels(client: TransactionClientContract, mine: Studio) {
  const found = await Studio.findOrFail(mine.id, { client })
  await found.load('rooms', (query) => void query.orderBy('name'))
  await found.loadCount('rooms')
  await found.loadAggregate('rooms', (query) => void query.sum('size').as('total'))
  const counted = await Studio.query({ client })
    .where('name', 'mine')
    .withCount('rooms')
    .withAggregate('rooms', (query) => void query.max('size').as('largest'))
    .preload('rooms', (query) => void query.orderBy('name').limit(1))
    .firstOrFail()
  const page = await Studio.query({ client }).orderBy('name').paginate(1, 1)
  const none = await Studio.query({ client }).doesntHave('rooms').where('name', 'mine')
  return {
    loaded: namesOf(found.rooms),
    extras: numbersOf(found.$extras),
    counted: [numbersOf(counted.$extras), namesOf(counted.rooms)],
    page: [namesOf(page.all()), page.lastPage > 0],
    none: none.length,
    by: nameOf(await Studio.findByOrFail('name', 'other', { client })),
    rooms: lengthOf(await Room.query({ client }).where('studioId', mine.id).pojo()),
  }
}

async function readRecord(client: TransactionClientContract, gate: Gate, studios: Studio[]) {
  const [mine] = studios
  for (const studio of studios) await studio.merge({ gateId: gate.id }).save()
  const [red] = await Mark.createMany([{ name: 'red' }], { client })
  await gate.related('marks').attach([red.id])
  gate.studioId = mine.id

  await gate.load('studio', (query) => void query.preload('rooms'))
  await gate.load(
    (loader) => void loader.load('marks').load('rooms', (query) => void query.orderBy('name'))
  )
  await gate.loadOnce('first')
  await gate.load('studios', (query) => void query.orderBy('name'))
  await gate.loadCount('studios')
  await gate.loadCount('marks', (query) => void query.as('reds').where('name', 'red'))
  await gate.loadAggregate('rooms', (query) => void query.sum('size').as('area'))
  const extras = numbersOf(gate.$extras)
  const related = {
    studios: namesOf(await gate.related('studios').query().orderBy('name')),
    rooms: namesOf(await gate.related('rooms').query().orderBy('name')),
    marks: namesOf(await gate.related('marks').query().wherePivot('mark_id', red.id)),
    first: nameOf(await gate.related('first').query().orderBy('name').firstOrFail()),
    studio: nameOf(await gate.related('studio').query().firstOrFail()),
    pivots: lengthOf(await gate.related('marks').pivotQuery()),
    page: namesOf(await gate.related('studios').query().orderBy('name').paginate(1, 1)),
  }
  const seen = {
    extras,
    related,
    loaded: [
      gate.studio.name,
      gate.studio.rooms.length,
      namesOf(gate.marks),
      namesOf(gate.rooms),
      gate.first !== null,
      namesOf(gate.studios),
    ],
    serialized: Object.keys(gate.serialize())
      .filter((name) => name !== 'name')
      .toSorted(),
    flags: [gate.$isPersisted, gate.$isLocal === undefined, gate.$trx === client],
  }
  return { ...seen, fresh: await readAgain(client, gate) }
}

async function readAgain(client: TransactionClientContract, gate: Gate) {
  const [found] = await Gate.query({ client })
    .where('id', gate.id)
    .withScopes((scopes) => scopes.called(gate.$original.name))
    .preload('studios', (query) => void query.orderBy('name'))
    .preload('marks')
    .withCount('studios')
    .has('studios')
    .whereHas('marks', (query) => void query.where('name', 'red'))
  const byKey = await Gate.find(gate.id, { client })
  const many = await Gate.findMany([gate.id], { client })
  const first = await Gate.query().useTransaction(client).where('id', gate.id).forUpdate().first()
  const before = { ...gate.$extras }
  const { studioId } = gate
  await gate.refresh()
  const stored = numbersOf(gate.$extras)
  gate.studioId = studioId
  return {
    found: [namesOf(found.studios), namesOf(found.marks), numbersOf(found.$extras)],
    same: [
      byKey?.name === gate.$original.name,
      many.length,
      first?.id === gate.id,
      first?.$trx === client,
    ],
    refreshed: Object.keys(before).every((name) => Object.hasOwn(stored, name)),
  }
}

function namesOf(rows: Array<{ name: string }>): string[] {
  return rows.map(({ name }) => name)
}

function numbersOf(extras: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(extras).map(([name, value]) => [name, Number(value)]))
}

function nameOf({ name }: { name: string }): string {
  return name
}

function lengthOf(rows: readonly unknown[]): number {
  return rows.length
}
