/*
 * Small versions of databases that many people know, with their odd parts: names with spaces and in upper case, keys of
 * texts, small integers and several columns, references to the same table and in a circle, enums, arrays, views.
 */
export type Kind = 'sqlite' | 'postgres' | 'mysql'

type Parts = Record<'key' | 'small' | 'bytes' | 'moment' | 'flag' | 'year' | 'yes', string>

const PARTS: Record<Kind, Parts> = {
  sqlite: {
    key: 'integer primary key',
    small: 'smallint',
    bytes: 'blob',
    moment: 'datetime',
    flag: 'boolean',
    year: 'integer',
    yes: '1',
  },
  postgres: {
    key: 'serial primary key',
    small: 'smallint',
    bytes: 'bytea',
    moment: 'timestamp',
    flag: 'boolean',
    year: 'integer',
    yes: 'true',
  },
  mysql: {
    key: 'int auto_increment primary key',
    small: 'smallint',
    bytes: 'blob',
    moment: 'datetime',
    flag: 'tinyint(1)',
    year: 'year',
    yes: '1',
  },
}

/** The statements of a schema with a row or two in each table. */
export function statementsOf(schema: keyof typeof SCHEMAS, kind: Kind): string[] {
  const text = SCHEMAS[schema](PARTS[kind], kind)
  return text
    .split(';\n')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => (kind === 'mysql' ? one.replaceAll('"', '`') : one))
}

const northwind = ({ bytes, flag, key, moment, small, yes }: Parts) => `
create table "Region" ("RegionID" integer primary key, "RegionDescription" char(50) not null);
create table "Territories" ("TerritoryID" varchar(20) primary key, "TerritoryDescription" char(50) not null,
  "RegionID" integer not null, foreign key ("RegionID") references "Region" ("RegionID"));
create table "Categories" ("CategoryID" ${key}, "CategoryName" varchar(15) not null, "Description" text, "Picture" ${bytes});
create table "Customers" ("CustomerID" char(5) primary key, "CompanyName" varchar(40) not null, "Postal Code" varchar(10));
create table "CustomerDemographics" ("CustomerTypeID" char(10) primary key, "CustomerDesc" text);
create table "CustomerCustomerDemo" ("CustomerID" char(5) not null, "CustomerTypeID" char(10) not null,
  primary key ("CustomerID", "CustomerTypeID"), foreign key ("CustomerID") references "Customers" ("CustomerID"),
  foreign key ("CustomerTypeID") references "CustomerDemographics" ("CustomerTypeID"));
create table "Employees" ("EmployeeID" ${key}, "LastName" varchar(20) not null, "BirthDate" ${moment}, "Photo" ${bytes},
  "ReportsTo" integer, foreign key ("ReportsTo") references "Employees" ("EmployeeID"));
create table "Shippers" ("ShipperID" ${key}, "CompanyName" varchar(40) not null);
create table "Products" ("ProductID" ${key}, "ProductName" varchar(40) not null, "CategoryID" integer,
  "UnitPrice" decimal(10,2) default 0, "UnitsInStock" ${small}, "Discontinued" ${flag} not null,
  foreign key ("CategoryID") references "Categories" ("CategoryID"));
create table "Orders" ("OrderID" ${key}, "CustomerID" char(5), "EmployeeID" integer, "OrderDate" ${moment}, "ShipVia" integer,
  "Freight" numeric(20,4) default 0, foreign key ("CustomerID") references "Customers" ("CustomerID"),
  foreign key ("EmployeeID") references "Employees" ("EmployeeID"), foreign key ("ShipVia") references "Shippers" ("ShipperID"));
create table "Order Details" ("OrderID" integer not null, "ProductID" integer not null, "UnitPrice" decimal(10,2) not null,
  "Quantity" ${small} default 1 not null, "Discount" real, primary key ("OrderID", "ProductID"),
  foreign key ("OrderID") references "Orders" ("OrderID"), foreign key ("ProductID") references "Products" ("ProductID"));
create view "Order Subtotals" as select "OrderID", sum("UnitPrice" * "Quantity") as "Subtotal" from "Order Details" group by "OrderID";
create view "Alphabetical list of products" as select p.*, c."CategoryName" from "Products" p
  join "Categories" c on c."CategoryID" = p."CategoryID";
insert into "Region" values (1, 'Eastern');
insert into "Territories" values ('01581', 'Westboro', 1);
insert into "Categories" ("CategoryID", "CategoryName") values (1, 'Beverages');
insert into "Customers" values ('ALFKI', 'Alfreds Futterkiste', '12209');
insert into "CustomerDemographics" values ('A', 'first');
insert into "CustomerCustomerDemo" values ('ALFKI', 'A');
insert into "Employees" ("EmployeeID", "LastName", "BirthDate") values (2, 'Fuller', '1952-02-19 00:00:00');
insert into "Employees" ("EmployeeID", "LastName", "ReportsTo") values (1, 'Davolio', 2);
insert into "Shippers" values (3, 'Federal Shipping');
insert into "Products" values (1, 'Chai', 1, 18, 39, ${yes});
insert into "Orders" values (10248, 'ALFKI', 1, '1996-07-04 00:00:00', 3, 32.38);
insert into "Order Details" values (10248, 1, 14, 12, 0);
`

const chinook = ({ key, moment }: Parts) => `
create table "Artist" ("ArtistId" ${key}, "Name" varchar(120));
create table "Album" ("AlbumId" ${key}, "Title" varchar(160) not null, "ArtistId" integer not null,
  foreign key ("ArtistId") references "Artist" ("ArtistId"));
create table "MediaType" ("MediaTypeId" ${key}, "Name" varchar(120));
create table "Track" ("TrackId" ${key}, "Name" varchar(200) not null, "AlbumId" integer, "MediaTypeId" integer not null,
  "Milliseconds" integer not null, "Bytes" bigint, "UnitPrice" numeric(10,2) not null,
  foreign key ("AlbumId") references "Album" ("AlbumId"), foreign key ("MediaTypeId") references "MediaType" ("MediaTypeId"));
create table "Playlist" ("PlaylistId" ${key}, "Name" varchar(120));
create table "PlaylistTrack" ("PlaylistId" integer not null, "TrackId" integer not null, primary key ("PlaylistId", "TrackId"),
  foreign key ("PlaylistId") references "Playlist" ("PlaylistId"), foreign key ("TrackId") references "Track" ("TrackId"));
create table "Employee" ("EmployeeId" ${key}, "LastName" varchar(20) not null, "ReportsTo" integer, "HireDate" ${moment},
  foreign key ("ReportsTo") references "Employee" ("EmployeeId"));
create table "Customer" ("CustomerId" ${key}, "Email" varchar(60) not null, "SupportRepId" integer,
  foreign key ("SupportRepId") references "Employee" ("EmployeeId"));
create table "Invoice" ("InvoiceId" ${key}, "CustomerId" integer not null, "InvoiceDate" ${moment} not null,
  "Total" numeric(10,2) not null, foreign key ("CustomerId") references "Customer" ("CustomerId"));
create table "map" ("id" ${key}, "delete" varchar(10), "2nd value" integer, "größe" integer, "名前" varchar(10), "order" integer,
  "limit" integer, "line2" varchar(10), "created_at" ${moment} not null, "updated_at" ${moment}, "deleted_at" ${moment});
create table "log lines" ("at" ${moment}, "line" varchar(80), "level" varchar(5) check ("level" in ('info', 'warn')));
insert into "Artist" values (1, 'AC/DC');
insert into "Album" values (1, 'For Those About To Rock', 1);
insert into "MediaType" values (1, 'MPEG');
insert into "Track" values (1, 'Put The Finger On You', 1, 1, 205662, 6713451, 0.99);
insert into "Playlist" values (1, 'Music');
insert into "PlaylistTrack" values (1, 1);
insert into "Employee" values (1, 'Adams', null, '2002-08-14 00:00:00');
insert into "Customer" values (1, 'luis@example.com', 1);
insert into "Invoice" values (1, 1, '2009-01-01 00:00:00', 1.98);
insert into "map" values (1, 'a', 2, 3, 'b', 4, 5, 'c', '2009-01-01 00:00:00', null, null);
insert into "log lines" values ('2009-01-01 00:00:00', 'started', 'info');
`

/** Keys of small integers, a circle of references, two references to the same table, values of many types. */
const sakila = ({ bytes, flag, moment, year, yes }: Parts, kind: Kind) => {
  const updated = `last_update ${moment} not null default current_timestamp`
  const small = {
    sqlite: 'integer primary key',
    postgres: 'smallserial primary key',
    mysql: 'smallint unsigned auto_increment primary key',
  }[kind]
  const ref = kind === 'mysql' ? 'smallint unsigned' : 'smallint'
  const rating = {
    sqlite: `varchar(10) default 'G' check (rating in ('G', 'PG', 'R'))`,
    postgres: `mpaa_rating default 'G'`,
    mysql: `enum('G', 'PG', 'R') default 'G'`,
  }[kind]
  const features = { sqlite: 'text', postgres: 'text[]', mysql: `set('Trailers','Commentaries')` }[
    kind
  ]
  const value = kind === 'postgres' ? `'{Trailers}'` : `'Trailers'`
  const circle = 'foreign key (manager_staff_id) references staff (staff_id)'
  return `
${kind === 'postgres' ? `create type mpaa_rating as enum ('G', 'PG', 'R');\n` : ''}
create table language (language_id ${small}, name char(20) not null, ${updated});
create table actor (actor_id ${small}, first_name varchar(45) not null, ${updated});
create table film (film_id ${small}, title varchar(255) not null, release_year ${year}, language_id ${ref} not null,
  original_language_id ${ref}, rental_rate decimal(4,2) not null default 4.99, rating ${rating}, special_features ${features},
  ${updated}, foreign key (language_id) references language (language_id),
  foreign key (original_language_id) references language (language_id));
create table film_actor (actor_id ${ref} not null, film_id ${ref} not null, ${updated}, primary key (actor_id, film_id),
  foreign key (actor_id) references actor (actor_id), foreign key (film_id) references film (film_id));
create table store (store_id ${small}, manager_staff_id ${ref} unique${kind === 'sqlite' ? `, ${circle}` : ''});
create table staff (staff_id ${small}, first_name varchar(45) not null, picture ${bytes}, store_id ${ref} not null,
  active ${flag} not null default ${yes}, password varchar(40), foreign key (store_id) references store (store_id));
${kind === 'sqlite' ? '' : `alter table store add ${circle};\n`}
create table payment (payment_id ${small}, staff_id ${ref} not null, amount decimal(5,2) not null, payment_date ${moment} not null,
  foreign key (staff_id) references staff (staff_id));
create view film_list as select f.film_id as fid, f.title, f.rental_rate as price, l.name as language
  from film f join language l on l.language_id = f.language_id;
create view sales_by_store as select s.store_id as store, sum(p.amount) as total_sales from payment p
  join staff s on s.staff_id = p.staff_id group by s.store_id;
insert into language (language_id, name) values (1, 'English');
insert into actor (actor_id, first_name) values (1, 'PENELOPE');
insert into film (film_id, title, release_year, language_id, special_features) values (1, 'ACADEMY DINOSAUR', 2006, 1, ${value});
insert into film_actor (actor_id, film_id) values (1, 1);
insert into store (store_id) values (1);
insert into staff (staff_id, first_name, store_id, password) values (1, 'Mike', 1, '8cb2237d');
update store set manager_staff_id = 1;
insert into payment values (1, 1, 2.99, '2005-05-25 11:30:37');
`
}

export const SCHEMAS = { northwind, chinook, sakila }
