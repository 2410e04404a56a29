/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Files among the arguments. To PETSc, every word behind an option is its value, so that a file behind one that has none would be lost: the
   help text of the program tells which have one.
*/
#include "app.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many words behind an option are its values: as many as there are <...> behind its name, where a line or a new sentence of the help
   text begins with it, or one that is not in brackets; -1 if that is left to the user, or if the text does not name it */
static int Arguments_CountValues(const char help[], const char option[])
{
  const size_t length = strlen(option);

  for (const char *p = strstr(help, option); p; p = strstr(p + 1, option)) {
    int values = 0;

    if (p < help + 2 || p[-1] != ' ' || p[-2] != ' ' || isalnum((unsigned char)p[length]) || p[length] == '_') continue;
    p += length;
    if (p[0] == ' ' && isalnum((unsigned char)p[1])) return 1;
    if (p[0] == ' ' && p[1] == '[') return -1;
    for (; p[0] == ' ' && p[1] == '<'; p += strcspn(p + 1, " \n") + 1) values++;
    return values;
  }
  return -1;
}

/* May this word be the value of an option whose value may be left out, or of one that nobody knows? If it is no file, or if there are files enough. */
static int Arguments_IsValue(const char word[], int optional, int files)
{
  static const char *const truths[] = {"0", "1", "true", "false", "yes", "no", "on", "off"};

  for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
    if (!strcmp(word, truths[i])) return 1;
  return optional && (files >= 2 || access(word, R_OK) != 0);
}

static int Arguments_IsOption(const char word[])
{
  const char *name = word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');

  return word[0] == '-' && isalpha((unsigned char)name[0]);
}

/*
   NAPIMoveFilesFirst - Moves the words that are neither options nor their values to the front, behind the name of the program.
*/
void NAPIMoveFilesFirst(int argc, char **argv, const char help[])
{
  char **sorted = (char **)calloc((size_t)argc + 1, sizeof(char *));
  char  *taken  = (char *)calloc((size_t)argc + 1, 1);
  int    n = 0, files = 0;

  for (int i = 1; i < argc && taken && sorted; i++) {
    int values;

    if (!Arguments_IsOption(argv[i])) {
      files++;
      continue;
    }
    taken[i] = 1;
    values   = Arguments_CountValues(help, argv[i] + (argv[i][1] == '-'));
    if (!strcmp(argv[i], "-apply")) values = 1;         /* what follows its prefix are files like others */
    if (values < 0 && strchr(argv[i], '_')) values = 1; /* of PETSc, or a solver: as PETSc has it */
    if (values <= 0 && i + 1 < argc && !Arguments_IsOption(argv[i + 1])) values = Arguments_IsValue(argv[i + 1], values < 0, files);
    for (; values > 0 && i + 1 < argc && !Arguments_IsOption(argv[i + 1]); values--) taken[++i] = 1;
  }
  for (int pass = 0; pass < 2 && taken && sorted; pass++)
    for (int i = 1; i < argc; i++)
      if (taken[i] == pass) sorted[++n] = argv[i];
  for (int i = 1; i < argc && taken && sorted; i++) argv[i] = sorted[i];
  free(sorted);
  free(taken);
}
