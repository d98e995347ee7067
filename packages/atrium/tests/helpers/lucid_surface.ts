/*
 * Uses every feature of Lucid that takes a transaction, in a fixed order, so that the results can
 * be compared.
 */
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { Badge, Chair, Plan, Room, Studio } from '#tests/fixtures/own_code'

class Undone extends Error {}

/** In an order in which they can be emptied */
const TABLES = [
  'own_studio_badge',
  'own_chairs',
  'own_rooms',
  'own_plans',
  'own_badges',
  'own_studios',
]

export async function emptySurface(): Promise<void> {
  for (const table of TABLES) await db.from(table).delete()
}

/** Rows without their keys. */
export async function surfaceRows(): Promise<Record<string, unknown>> {
  const names = async (table: string) => namesOf(await db.from(table).select('name'))
  const badges = await db
    .from('own_studio_badge')
    .join('own_studios', 'own_studios.id', 'own_studio_badge.studio_id')
    .join('own_badges', 'own_badges.id', 'own_studio_badge.badge_id')
    .select('own_studios.name as studio', 'own_badges.name as badge', 'rank')
    .orderBy('studio')
    .orderBy('badge')
  const rooms = await db
    .from('own_rooms')
    .leftJoin('own_studios', 'own_studios.id', 'own_rooms.studio_id')
    .select('own_rooms.name', 'own_studios.name as studio', 'size')
    .orderBy('own_rooms.name')
  return {
    badges: badges.map(({ studio, badge, rank }) => [studio, badge, rank]),
    rooms: rooms.map(({ name, studio, size }) => [name, studio, size]),
    chairs: await names('own_chairs'),
    plans: await names('own_plans'),
    studios: await names('own_studios'),
    kinds: await names('own_badges'),
  }
}

/**
 * @returns observations during the work, and a list that collects those after its end
 */
export async function useSurface(trx: TransactionClientContract) {
  const heard: string[] = []
  const seen = {
    ...(await useRelations(trx)),
    ...(await useModels(trx)),
    ...(await useBuilders(trx)),
    ...(await useNested(trx, heard)),
    flags: [trx.isTransaction, trx.isCompleted, trx.mode, trx.connectionName, trx.dialect.name],
  }
  trx.after('commit', () => void heard.push('commit'))
  trx.after('rollback', () => void heard.push('rollback'))
  return { seen, heard }
}

const namesOf = (rows: Array<{ name: string }>) => rows.map(({ name }) => name).toSorted()

async function useRelations(client: TransactionClientContract) {
  const host = await Studio.create({ name: 'host' }, { client })

  const rooms = host.related('rooms')
  const first = await rooms.create({ name: 'hall' })
  await rooms.createMany([{ name: 'attic' }, { name: 'cellar' }])
  await rooms.save(new Room().merge({ name: 'kitchen' }))
  await rooms.saveMany([new Room().merge({ name: 'loft' }), new Room().merge({ name: 'porch' })])
  await rooms.firstOrCreate({ name: 'hall' }, { size: 9 })
  await rooms.firstOrCreate({ name: 'studio' }, { size: 2 })
  await rooms.updateOrCreate({ name: 'attic' }, { size: 3 })
  await rooms.updateOrCreate({ name: 'annex' }, { size: 4 })
  await rooms.fetchOrCreateMany([{ name: 'annex' }, { name: 'barn' }], 'name')
  await rooms.updateOrCreateMany([{ name: 'barn', size: 6 }, { name: 'crypt' }], 'name')
  await rooms.query().where('name', 'crypt').delete()
  await rooms.query().where('name', 'porch').update({ size: 7 })

  const plan = host.related('plan')
  await plan.create({ name: 'first plan' })
  await plan.firstOrCreate({}, { name: 'another plan' })
  await plan.updateOrCreate({}, { name: 'second plan' })
  const other = await Studio.create({ name: 'other' }, { client })
  await other.related('plan').save(new Plan().merge({ name: 'third plan' }))

  const loose = await Room.create({ name: 'loose' }, { client })
  await loose.related('studio').associate(other)
  const tied = await loose.related('studio').query().firstOrFail()
  await loose.related('studio').dissociate()

  const badges = host.related('badges')
  const gold = await badges.create({ name: 'gold' }, { rank: 1 })
  await badges.createMany([{ name: 'silver' }, { name: 'bronze' }], [{ rank: 2 }, undefined])
  await badges.save(new Badge().merge({ name: 'tin' }), true, { rank: 4 })
  await badges.saveMany([new Badge().merge({ name: 'lead' })], true)
  const [iron, zinc] = await Badge.createMany([{ name: 'iron' }, { name: 'zinc' }], { client })
  await badges.attach([iron.id])
  await badges.attach({ [zinc.id]: { rank: 8 } }, client)
  await badges.detach([iron.id])
  const ranked = await badges.pivotQuery().whereNotNull('rank').count('* as total').first()
  const all = await other.related('badges').query()
  await other.related('badges').attach([gold.id, iron.id])
  await other.related('badges').sync([gold.id, zinc.id])
  await other.related('badges').sync({ [iron.id]: { rank: 5 } }, false)
  await other.related('badges').sync([zinc.id, iron.id], true, client)
  await badges.pivotQuery().where('rank', 4).update({ rank: 6 })

  await first.related('chairs').createMany([{ name: 'stool' }, { name: 'bench' }])
  const through = await host.related('chairs').query()
  const loaded = await Studio.query({ client })
    .preload('rooms', (query) => void query.orderBy('name').preload('chairs'))
    .preload('badges')
    .preload('plan')
    .withCount('chairs')
    .whereHas('rooms', (query) => void query.where('name', 'hall'))
    .firstOrFail()
  await host.load('badges')
  await host.loadCount('rooms')

  return {
    tied: tied.name,
    ranked: Number(ranked!.total),
    all: namesOf(all),
    through: namesOf(through),
    loaded: [namesOf(loaded.rooms), namesOf(loaded.badges), loaded.plan.name],
    chairs: namesOf(loaded.rooms.flatMap((room) => room.chairs)),
    counts: [Number(loaded.$extras.chairs_count), Number(host.$extras.rooms_count)],
    hosted: [namesOf(host.badges), host.$trx === client],
  }
}

async function useModels(client: TransactionClientContract) {
  const one = new Chair()
  const room = await Room.query({ client }).where('name', 'hall').firstOrFail()
  one.useTransaction(client)
  await one.merge({ name: 'throne', roomId: room.id }).save()
  await one.merge({ name: 'sofa' }).save()
  await one.refresh()
  await Chair.createMany([{ name: 'pouf', roomId: room.id }], { client })
  await Chair.firstOrCreate({ name: 'pouf' }, { roomId: room.id }, { client })
  const made = await Chair.firstOrNew({ name: 'swing' }, { roomId: room.id }, { client })
  await made.save()
  await Chair.updateOrCreate({ name: 'swing' }, { name: 'hammock' }, { client })
  await Chair.fetchOrCreateMany('name', [{ name: 'pouf' }, { name: 'pew', roomId: room.id }], {
    client,
  })
  await Chair.updateOrCreateMany('name', [{ name: 'pew', roomId: room.id }], { client })
  const gone = await Chair.create({ name: 'gone', roomId: room.id }, { client })
  await gone.delete()

  const byKey = await Chair.find(one.id, { client })
  const byName = await Chair.findByOrFail('name', 'sofa', { client })
  const found = await Chair.query().useTransaction(client).where('name', 'pew').forUpdate().first()
  const page = await Chair.query({ client }).orderBy('name').paginate(1, 2)
  await Room.query().useTransaction(client).where('name', 'hall').increment('size', 10)
  await Room.query({ client }).where('name', 'loft').update({ size: 12 })
  return {
    one: [one.name, one.$trx === client, one.$isPersisted],
    found: found!.name,
    page: [namesOf(page.all()), page.total],
    byKey: byKey!.name,
    byName: byName.id === byKey!.id,
    many: namesOf(await Chair.findMany([one.id, found!.id], { client })),
    gone: gone.$isDeleted,
    count: await Chair.all({ client }).then((rows) => rows.length),
  }
}

async function useBuilders(trx: TransactionClientContract) {
  const insert = db.insertQuery().useTransaction(trx).table('own_studios')
  await insert.insert({ name: 'by insertQuery' })
  await db.table('own_studios').useTransaction(trx).insert({ name: 'by table' })
  await trx
    .insertQuery()
    .table('own_studios')
    .multiInsert([{ name: 'one' }, { name: 'two' }])
  await trx.table('own_studios').insert({ name: 'by client' })
  await trx.rawQuery('update own_studios set name = ? where name = ?', ['three', 'two'])
  await db.rawQuery("insert into own_studios (name) values ('by raw')").useTransaction(trx)
  await db.from('own_studios').useTransaction(trx).where('name', 'one').update({ name: 'four' })
  await db.query().useTransaction(trx).from('own_studios').where('name', 'three').delete()
  await trx.knexClient('own_studios').insert({ name: 'by knex' })
  await (db.connection().getWriteClient() as any)('own_studios')
    .transacting(trx.knexClient)
    .insert({ name: 'by transacting' })

  const named = await trx
    .from('own_studios')
    .where(trx.raw('lower(name)') as any, 'four')
    .orWhereIn('id', (query) => query.from('own_studios').select('id').where('name', 'by raw'))
    .select(trx.ref('own_studios.name').as('name') as any)
  const mapped = await trx.modelQuery(Studio).where('name', 'by knex')
  const plain = await trx.knexQuery().from('own_studios').where('name', 'by client')
  const raw = await trx.knexRawQuery('select 1 as one')
  const { client } = trx.knexClient as unknown as { client: { dialect: string } }
  return {
    named: namesOf(named),
    mapped: namesOf(mapped),
    plain: plain.length,
    raw: JSON.stringify(raw).includes('1'),
    exists: await trx.from('own_studios').where('name', 'three').first(),
    client: client.dialect,
    columns: Object.keys(await trx.columnsInfo('own_studios')).toSorted(),
  }
}

async function useNested(trx: TransactionClientContract, heard: string[]) {
  const nested = await trx.transaction(async (inner) => {
    inner.after('commit', () => void heard.push('inner commit'))
    await Studio.create({ name: 'inner' }, { client: inner })
    await inner.transaction(async (innermost) => {
      await innermost.table('own_studios').insert({ name: 'innermost' })
    })
    return [inner.isTransaction, await countOf(inner)]
  })
  const undone = await trx
    .transaction(async (inner) => {
      inner.after('rollback', () => void heard.push('inner rollback'))
      await inner.table('own_studios').insert({ name: 'undone' })
      throw new Undone('undone')
    })
    .catch((error) => error.message)
  const manual = await trx.transaction()
  await manual.table('own_studios').insert({ name: 'manual' })
  await manual.commit()
  const abandoned = await trx.transaction()
  await abandoned.table('own_studios').insert({ name: 'abandoned' })
  await abandoned.rollback()
  const savepoint = await (trx.knexClient as any).savepoint(async (inner: any) => {
    await inner('own_studios').insert({ name: 'savepoint' })
    return 'released'
  })
  return {
    nested,
    undone,
    savepoint,
    ended: [manual.isCompleted, abandoned.isCompleted, trx.isCompleted],
    inside: await countOf(trx),
  }
}

async function countOf(client: TransactionClientContract): Promise<number> {
  const { total } = await client.from('own_studios').count('* as total').firstOrFail()
  return Number(total)
}
