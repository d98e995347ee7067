/*
 * Which kind of database the tests run on, for the few that are about one alone.
 */
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Knex } from 'knex'
import { dialectOf } from '#crud/database/dialects'

const kind = process.env.DB_CONNECTION

export const onSqlite = kind === 'sqlite' || kind === 'better-sqlite3'
export const onPostgres = kind === 'postgres'
export const onMysql = kind === 'mysql'

/** The connection that has all tables */
export const MAIN = String(kind)

/**
 * Another that is configured. On SQLite it reads the same tables; elsewhere nothing can be asked of it.
 * (A connection of another driver must not open the file of this one: in one process, SQLite's two
 * libraries do not see each other's locks, and who closes it first takes them from the other.)
 */
export const ANOTHER = onSqlite ? `${MAIN}_readers` : onPostgres ? 'mysql' : 'postgres'

/** How a row that no model has read tells a truth value */
export const NO = onPostgres ? false : 0
export const YES = onPostgres ? true : 1

/**
 * What differs from one to the other.
 */
export function each<Value>(values: { sqlite: Value; postgres: Value; mysql: Value }): Value {
  if (onPostgres) return values.postgres
  return onMysql ? values.mysql : values.sqlite
}

/**
 * Inserts a row whose `id` is counted up.
 *
 * @returns its id
 */
export async function insertRow(table: string, row: Record<string, unknown>): Promise<number> {
  const client = db.connection()
  return Number(await dialectOf(client).insertRow(client, table, row))
}

/**
 * Has the database refuse all new rows of a table.
 *
 * @returns what has it take them again
 */
export async function refuseInserts(table: string): Promise<() => Promise<void>> {
  if (onPostgres) {
    await db.rawQuery(
      `create or replace function refuse_row() returns trigger language plpgsql as
       $$ begin raise exception 'refused'; end $$`
    )
  }
  const action = each({
    sqlite: "begin select raise(abort, 'refused'); end",
    postgres: 'for each row execute function refuse_row()',
    mysql: "for each row signal sqlstate '45000' set message_text = 'refused'",
  })
  await db.rawQuery(`create trigger refuse_rows before insert on ${table} ${action}`)
  const on = onPostgres ? ` on ${table}` : ''
  return async () => void (await db.rawQuery(`drop trigger if exists refuse_rows${on}`))
}

/**
 * Does something that foreign keys would not let happen.
 */
export async function withoutForeignKeys(work: (client: QueryClientContract) => Promise<unknown>) {
  const [off, on] = each({
    sqlite: ['pragma foreign_keys = off', 'pragma foreign_keys = on'],
    postgres: ['set local session_replication_role = replica', 'select 1'],
    mysql: ['set foreign_key_checks = 0', 'set foreign_key_checks = 1'],
  })
  /* The one of SQLite has no effect in a transaction; there is one connection that writes. */
  if (onSqlite) await db.rawQuery(off)
  await db.transaction(async (client) => {
    if (!onSqlite) await client.rawQuery(off)
    await work(client)
    if (!onSqlite) await client.rawQuery(on)
  })
  if (onSqlite) await db.rawQuery(on)
}

/**
 * A key of 64 bits that the database counts up.
 */
export function bigKey(table: Knex.CreateTableBuilder, name: string = 'id') {
  /* Knex makes it unsigned on MySQL, where no negative key fits in. */
  if (onMysql) table.specificType(name, 'bigint not null auto_increment primary key')
  else table.bigIncrements(name)
}

/**
 * The type of a column whose text is the same to the database in whatever case.
 */
export function caseless(length: number): string {
  const collation = each({ sqlite: 'nocase', postgres: '"nocase"', mysql: 'utf8mb4_general_ci' })
  return `varchar(${length}) collate ${collation}`
}

/**
 * Has every counter of keys begin anew, in tables that are empty.
 */
export async function restartCounters() {
  if (onSqlite) return void (await db.from('sqlite_sequence').delete())
  if (onPostgres) {
    const one = "format('%I.%I', schemaname, sequencename)::regclass"
    return void (await db.rawQuery(`select setval(${one}, start_value, false) from pg_sequences`))
  }
  for (const table of await db.connection().getAllTables()) {
    await db.rawQuery('alter table ?? auto_increment = 1', [table])
  }
}

/**
 * What the tables of the fixtures need before them.
 */
export function prepareFixtures(schema: Knex.SchemaBuilder) {
  if (!onPostgres) return
  schema.raw(
    `create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`
  )
}

/**
 * Has a counter follow the keys that tests give, as it does on other databases by itself.
 */
export function followGivenKeys(schema: Knex.SchemaBuilder) {
  if (!onPostgres) return
  schema.raw(`
    create function follow_given_key() returns trigger language plpgsql as $$
    declare
      counter text := pg_get_serial_sequence(tg_relid::regclass::text, 'id');
      latest bigint := (select coalesce(last_value, 0) from pg_sequences
        where counter = schemaname || '.' || quote_ident(sequencename));
      given bigint := (select max(id) from added);
    begin
      if given > latest then perform setval(counter, given); end if;
      return null;
    end $$;
    do $$
    declare named text;
    begin
      for named in select oid::regclass::text from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
          and exists (select 1 from pg_attribute where attrelid = pg_class.oid and attname = 'id')
      loop
        if pg_get_serial_sequence(named, 'id') is not null then
          execute format('create trigger follow_given_key after insert on %s
            referencing new table as added
            for each statement execute function follow_given_key()', named);
        end if;
      end loop;
    end $$`)
}
