/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Zip files (APPNOTE.TXT of PKWARE, with the extension for large files): the directory at their end, and their members. What is deflated
   in them is what gzip has between a header and a checksum; put between those, gzip decompresses it.
*/
#include "zip.h"
#include <slepcnapi/private/napicompat.h>
#include <errno.h>
#include <string.h>

#define MAX_MEMBERS 4096
#define MAX_COMMENT 65535
#define END_LENGTH  22 /* of the record that ends the file, without its comment */

static PetscInt64 Zip_Decode(const unsigned char *bytes, int size)
{
  uint64_t value = 0;

  for (int k = size - 1; k >= 0; k--) value = (value << 8) | bytes[k];
  return value > (uint64_t)INT64_MAX ? -1 : (PetscInt64)value;
}

/* How many members there are, and where the directory begins: from the record at the end, and the one for large files in front of it */
static PetscErrorCode Zip_FindDirectory(NAPISource *source, off_t size, PetscInt64 *members, PetscInt64 *directory)
{
  const PetscInt64 length = PetscMin((PetscInt64)size, END_LENGTH + MAX_COMMENT);
  unsigned char   *tail, large[56];
  PetscInt64       end;

  PetscFunctionBegin;
  *members = *directory = -1;
  PetscCall(PetscMalloc1(length, &tail));
  PetscCall(NAPISourceReadAt(source, size - (off_t)length, length, 1, tail));
  for (end = length - END_LENGTH; end >= 0 && !source->message[0]; end--)
    if (!memcmp(tail + end, "PK\5\6", 4)) break;
  if (end >= 0 && !source->message[0]) {
    *members   = Zip_Decode(tail + end + 10, 2);
    *directory = Zip_Decode(tail + end + 16, 4);
    if (end >= 20 && !memcmp(tail + end - 20, "PK\6\7", 4)) {
      const PetscInt64 at = Zip_Decode(tail + end - 12, 8);

      if (at >= 0 && at < (PetscInt64)size - 56) PetscCall(NAPISourceReadAt(source, (off_t)at, 56, 1, large));
      else memset(large, 0, sizeof(large));
      if (!memcmp(large, "PK\6\6", 4)) {
        *members   = Zip_Decode(large + 32, 8);
        *directory = Zip_Decode(large + 48, 8);
      }
    }
  }
  PetscCall(PetscFree(tail));
  if (*members < 0 || *directory < 0 || *directory > (PetscInt64)size) PetscCall(NAPISourceSay(source, "is a zip file that is damaged or truncated: its directory is missing"));
  else if (*members < 1 || *members > MAX_MEMBERS) PetscCall(NAPISourceSay(source, "is a zip file with %" PetscInt64_FMT " members, and no data set", *members));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes and places that do not fit into 32 bits are in an extra field */
static void Zip_ReadExtra(const unsigned char *extra, PetscInt64 length, NAPIZipMember *member)
{
  while (length >= 4) {
    const PetscInt64 size     = Zip_Decode(extra + 2, 2);
    PetscInt64      *number[] = {&member->size, &member->stored, &member->at}, used = 4;

    if (size + 4 > length) return;
    for (int k = 0; k < 3 && Zip_Decode(extra, 2) == 1; k++)
      if (*number[k] == 0xffffffffLL && used + 8 <= size + 4) {
        *number[k] = Zip_Decode(extra + used, 8);
        used += 8;
      }
    extra += size + 4;
    length -= size + 4;
  }
}

/*
   NAPIZipList - Reads the directory of a zip file; the list is to be freed.
*/
PetscErrorCode NAPIZipList(NAPISource *source, int *n, NAPIZipMember **list)
{
  unsigned char record[46], extra[1024];
  PetscInt64    members, at;
  off_t         size = 0;

  PetscFunctionBegin;
  *n    = 0;
  *list = NULL;
  PetscCall(NAPISourceSize(source, &size));
  if (!source->message[0]) PetscCall(Zip_FindDirectory(source, size, &members, &at));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(members, list));
  for (; *n < members && !source->message[0]; ++*n) {
    NAPIZipMember *member = *list + *n;
    PetscInt64     name, rest;

    PetscCall(NAPISourceReadAt(source, (off_t)at, 46, 1, record));
    if (source->message[0]) break;
    if (memcmp(record, "PK\1\2", 4)) {
      PetscCall(NAPISourceSay(source, "is a zip file whose directory is damaged"));
      break;
    }
    member->encrypted = (PetscBool)(record[8] & 1);
    member->method    = (int)Zip_Decode(record + 10, 2);
    member->crc       = (uint32_t)Zip_Decode(record + 16, 4);
    member->stored    = Zip_Decode(record + 20, 4);
    member->size      = Zip_Decode(record + 24, 4);
    name              = Zip_Decode(record + 28, 2);
    rest              = Zip_Decode(record + 30, 2);
    member->at        = Zip_Decode(record + 42, 4);
    PetscCall(NAPISourceReadAt(source, (off_t)(at + 46), PetscMin(name, (PetscInt64)sizeof(member->name) - 1), 1, member->name));
    PetscCall(NAPISourceReadAt(source, (off_t)(at + 46 + name), PetscMin(rest, (PetscInt64)sizeof(extra)), 1, extra));
    if (!source->message[0]) Zip_ReadExtra(extra, PetscMin(rest, (PetscInt64)sizeof(extra)), member);
    if (member->at < 0 || member->stored < 0 || member->size < 0 || member->at > (PetscInt64)size || member->stored > (PetscInt64)size - member->at) PetscCall(NAPISourceSay(source, "is a zip file whose directory is damaged"));
    at += 46 + name + rest + Zip_Decode(record + 32, 2);
  }
  if (source->message[0]) PetscCall(PetscFree(*list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIZipFind - Where the data of a member begin, behind its own header.
*/
PetscErrorCode NAPIZipFind(NAPISource *source, const NAPIZipMember *member, off_t *where)
{
  unsigned char header[30];

  PetscFunctionBegin;
  *where = 0;
  PetscCall(NAPISourceReadAt(source, (off_t)member->at, 30, 1, header));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  *where = (off_t)(member->at + 30 + Zip_Decode(header + 26, 2) + Zip_Decode(header + 28, 2));
  if (memcmp(header, "PK\3\4", 4)) PetscCall(NAPISourceSay(source, "is a zip file whose member %s is damaged", member->name));
  else if (member->encrypted) PetscCall(NAPISourceSay(source, "is a zip file whose member %s is encrypted", member->name));
  else if (member->method != 0 && member->method != 8) PetscCall(NAPISourceSay(source, "is a zip file whose member %s is compressed in a way that is not known (%d)", member->name, member->method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zip_Copy(NAPISource *source, off_t where, PetscInt64 length, FILE *to)
{
  unsigned char buffer[65536];

  PetscFunctionBegin;
  for (PetscInt64 done = 0, n; done < length && !source->message[0]; done += n) {
    n = PetscMin(length - done, (PetscInt64)sizeof(buffer));
    PetscCall(NAPISourceReadAt(source, where + (off_t)done, n, 1, buffer));
    if (!source->message[0] && fwrite(buffer, 1, (size_t)n, to) < (size_t)n) PetscCall(NAPISourceSay(source, "cannot be copied into a temporary file: %s", strerror(errno)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIZipExtract - The content of a member in an unnamed temporary file, at whose beginning it stands; NULL if something is wrong.
*/
PetscErrorCode NAPIZipExtract(NAPISource *source, const NAPIZipMember *member, FILE **out)
{
  static const unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
  unsigned char              trailer[8];
  off_t                      where;
  FILE                      *copy;

  PetscFunctionBegin;
  *out = NULL;
  PetscCall(NAPIZipFind(source, member, &where));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  copy = tmpfile();
  if (!copy) {
    PetscCall(NAPISourceSay(source, "no temporary file to copy it into: %s", strerror(errno)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < 4; k++) {
    trailer[k]     = (unsigned char)(member->crc >> 8 * k);
    trailer[4 + k] = (unsigned char)((uint64_t)member->size >> 8 * k);
  }
  if (member->method) (void)fwrite(header, 1, sizeof(header), copy);
  PetscCall(Zip_Copy(source, where, member->stored, copy));
  if (member->method) (void)fwrite(trailer, 1, sizeof(trailer), copy);
  if (!source->message[0] && (fflush(copy) || ferror(copy))) PetscCall(NAPISourceSay(source, "cannot be copied into a temporary file: %s", strerror(errno)));
  if (!source->message[0] && member->method) {
    PetscCall(NAPISourceGunzip(source, copy, out));
    (void)fclose(copy);
  } else if (!source->message[0]) *out = copy;
  else (void)fclose(copy);
  if (*out) rewind(*out);
  PetscFunctionReturn(PETSC_SUCCESS);
}
